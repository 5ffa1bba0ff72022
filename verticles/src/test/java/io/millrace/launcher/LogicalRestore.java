package io.millrace.launcher;

import io.millrace.devstack.PostgresServer;
import io.millrace.postgres.SchemaMigration;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/**
 * What a dump and its restore into another server bring: the same schema, every row of every table
 * as it was, stored transaction ids and all, and where every sequence stood. The servers' own
 * programs for this are not among the embedded ones.
 */
final class LogicalRestore {
  private static final String SCHEMA = "'millrace'::regnamespace";

  /** The list of migrations is written by the one that lays the schema. */
  private static final String TABLES =
      "select c.oid::regclass::text from pg_class c where c.relkind = 'r' and c.relnamespace = "
          + SCHEMA
          + " and c.relname <> 'schema_history' order by 1";

  private static final String SEQUENCES =
      "select format('select setval(%L, %s, %L)', s.oid::regclass,"
          + " coalesce(pg_sequence_last_value(s.oid), (select seqstart from pg_sequence q where q.seqrelid = s.oid)),"
          + " pg_sequence_last_value(s.oid) is not null)"
          + " from pg_class s where s.relkind = 'S' and s.relnamespace = "
          + SCHEMA;

  private LogicalRestore() {}

  /** Into an empty database of the other server. */
  static void restore(
      Connection from, PostgresServer server, String database, SchemaMigration.Layout layout)
      throws SQLException, IOException {
    server.createDatabase(database);
    new SchemaMigration(
            new SchemaMigration.Login(
                server.host(), server.port(), database, server.user(), "", "disable"),
            layout)
        .migrate();
    try (Connection to = DriverManager.getConnection(server.jdbcUrl(database), server.user(), "")) {
      List<String> tables = column(from, TABLES);
      Stand.sql(to, "truncate table " + String.join(", ", column(to, TABLES)));
      to.setAutoCommit(false);
      for (String table : tables) {
        ByteArrayOutputStream rows = new ByteArrayOutputStream();
        copy(from).copyOut("copy " + table + " to stdout", rows);
        copy(to)
            .copyIn("copy " + table + " from stdin", new ByteArrayInputStream(rows.toByteArray()));
      }
      for (String setSequence : column(from, SEQUENCES)) {
        Stand.sql(to, setSequence);
      }
      to.commit();
    }
  }

  private static CopyManager copy(Connection connection) throws SQLException {
    return connection.unwrap(PGConnection.class).getCopyAPI();
  }

  private static List<String> column(Connection connection, String sql) throws SQLException {
    List<String> values = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        values.add(rows.getString(1));
      }
    }
    return values;
  }
}
