package io.millrace.stress;

import io.millrace.devstack.PostgresServer;
import io.millrace.postgres.SchemaMigration;
import io.millrace.testkit.Committed;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * A database of its own with Millrace's schema, the writers' aggregates and their journal, which
 * tells what has committed.
 */
final class StressDatabase {
  static final int SHARDS = 8;

  private static final SchemaMigration.Layout LAYOUT =
      new SchemaMigration.Layout(SHARDS, 1_000_000, 4, 86_400_000, 3 * 86_400_000, 3);

  private final PostgresServer postgres;
  private final String name;

  StressDatabase(PostgresServer postgres) throws SQLException {
    this.postgres = postgres;
    this.name = "stress_" + UUID.randomUUID().toString().replace("-", "");
    postgres.createDatabase(name);
    migration().migrate();
    execute(
        "create schema stress",
        "create table stress.aggregate (aggregate text primary key, revision bigint not null)",
        "insert into stress.aggregate select 'a' || n, 0 from generate_series(0, "
            + (StressWriter.AGGREGATES - 1)
            + ") n",
        "create table stress.journal (message_id uuid, aggregate text, revision bigint)",
        "create table stress.scratch (n int)",
        "create table stress.truncation (slot int)",
        "create function stress.count_truncation() returns trigger language plpgsql as $$ begin "
            + "insert into stress.truncation values (new.slot); return null; end $$",
        "create trigger count_truncation after update on millrace.slot for each row "
            + "when (old.state = 'published' and new.state = 'free') execute function stress.count_truncation()",
        "alter function stress.count_truncation() security definer");
  }

  private SchemaMigration migration() {
    return new SchemaMigration(login(), LAYOUT);
  }

  private SchemaMigration.Login login() {
    return new SchemaMigration.Login(
        postgres.host(), postgres.port(), name, postgres.user(), "", "disable");
  }

  /** Makes every function and view anew, as a migration to a next version does; gives how many. */
  int migrateAgain() throws SQLException {
    execute("update millrace.schema_history set checksum = 0 where version is null");
    return migration().migrate().executed();
  }

  /** Migrates with scripts of a version that is not there yet; gives the schema's version then. */
  String migrateWith(String laterScripts) {
    return new SchemaMigration(login(), LAYOUT, laterScripts).migrate().version();
  }

  PostgresServer server() {
    return postgres;
  }

  String name() {
    return name;
  }

  String url() {
    return postgres.jdbcUrl(name) + "?user=" + postgres.user();
  }

  void execute(String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  long queryLong(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  List<Committed> journal() throws SQLException {
    return committed("select message_id, aggregate, revision from stress.journal");
  }

  /** What has committed since the last time; it is noted no more. */
  List<Committed> takeJournal() throws SQLException {
    return committed("delete from stress.journal returning message_id, aggregate, revision");
  }

  private List<Committed> committed(String sql) throws SQLException {
    List<Committed> committed = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        committed.add(
            new Committed(rows.getObject(1, UUID.class), rows.getString(2), rows.getLong(3)));
      }
    }
    return committed;
  }

  /**
   * Commits prepared transactions whose writer lost its connection: others wait for their locks.
   */
  void endPrepared() throws SQLException {
    try (Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement()) {
      List<String> prepared = new ArrayList<>();
      try (ResultSet rows =
          statement.executeQuery(
              "select gid from pg_prepared_xacts where database = current_database()")) {
        while (rows.next()) {
          prepared.add(rows.getString(1));
        }
      }
      for (String gid : prepared) {
        commitPrepared(statement, gid);
      }
    }
  }

  /**
   * A writer that is alive may end its own one first (undefined_object), or be about to
   * (object_not_in_state).
   */
  private static void commitPrepared(Statement statement, String gid) throws SQLException {
    try {
      statement.execute("commit prepared '" + gid + "'");
    } catch (SQLException e) {
      if (!Set.of("42704", "55000").contains(e.getSQLState())) {
        throw e;
      }
    }
  }
}
