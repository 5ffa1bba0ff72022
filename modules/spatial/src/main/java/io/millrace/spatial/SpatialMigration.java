package io.millrace.spatial;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.output.MigrateResult;

/**
 * Lays and upgrades the schema {@code millrace_spatial}, after the schema {@code millrace} and
 * apart from it. Forward only. Blocking: call it from a thread that may wait, with a role that may
 * create schemas and roles.
 */
public final class SpatialMigration {
  private static final String SCHEMA = "millrace_spatial";
  private static final String HISTORY = "schema_history";
  private static final String SCRIPTS = "classpath:io/millrace/spatial/schema";

  private static final String POSTGIS =
      "select quote_ident(n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace"
          + " where e.extname = 'postgis'";

  private final Login login;

  /**
   * Where the schema is laid.
   *
   * @param url as JDBC spells it
   */
  public record Login(String url, String user, String password) {
    /** The password stays out of logs. */
    @Override
    public String toString() {
      return user + " at " + url;
    }
  }

  public SpatialMigration(Login login) {
    this.login = login;
  }

  /**
   * Brings the schema to this version.
   *
   * @return how many scripts were run; 0: everything was in place
   * @throws IllegalStateException if the database has no extension postgis, or cannot be reached
   * @throws org.flywaydb.core.api.FlywayException if the schema is newer, was changed by hand, or a
   *     script failed
   */
  public int migrate() {
    MigrateResult result =
        Flyway.configure()
            .dataSource(login.url(), login.user(), login.password())
            .schemas(SCHEMA)
            .createSchemas(true)
            .table(HISTORY)
            .locations(SCRIPTS)
            .placeholders(Map.of("postgis", postgisSchema()))
            .ignoreMigrationPatterns(new String[0])
            .cleanDisabled(true)
            .load()
            .migrate();
    return result.migrationsExecuted;
  }

  private String postgisSchema() {
    try (Connection connection =
            DriverManager.getConnection(login.url(), login.user(), login.password());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(POSTGIS)) {
      if (!rows.next()) {
        throw new IllegalStateException(
            "spatial.enabled is true, and the database has no extension postgis: a superuser must run"
                + " 'create extension postgis' in it, or set spatial.enabled to false");
      }
      return rows.getString(1);
    } catch (SQLException e) {
      throw new IllegalStateException("the database cannot be asked: " + e.getMessage(), e);
    }
  }
}
