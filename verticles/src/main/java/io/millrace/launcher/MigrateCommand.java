package io.millrace.launcher;

import io.millrace.core.config.DatabaseConfig;
import io.millrace.core.config.MillraceConfig;
import io.millrace.core.failure.Failure;
import io.millrace.launcher.config.ConfigLoader;
import io.millrace.postgres.MigrationException;
import io.millrace.postgres.SchemaMigration;
import io.millrace.spatial.SpatialMigration;
import io.vertx.core.Future;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lays or upgrades the schema. */
@Command(
    name = "migrate",
    description =
        "Lays the schema millrace, or brings it to this version. Needs a role that may create schemas and roles, and a session of its own.",
    mixinStandardHelpOptions = true)
final class MigrateCommand implements Callable<Integer> {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The configuration; without one, defaults and environment.")
  private @Nullable Path file;

  @Override
  public Integer call() throws Exception {
    MillraceConfig config = ConfigLoader.load(Optional.ofNullable(file), System.getenv());
    refusePooler(config);
    SchemaMigration.Result result;
    try {
      result = migrate(config);
    } catch (FlywayException | MigrationException e) {
      throw e.getCause() instanceof SQLException cause && isConnectionFailure(cause)
          ? new IllegalStateException("the database cannot be reached: " + cause.getMessage(), e)
          : e;
    }
    System.out.println(
        "schema millrace is at version "
            + result.version()
            + " ("
            + result.executed()
            + " scripts run, "
            + result.indexes()
            + " indexes of slots changed)");
    if (config.spatial().enabled()) {
      System.out.println(
          "schema millrace_spatial is in place (" + migrateSpatial(config) + " scripts run)");
    }
    return 0;
  }

  /** A lock of the session would be somebody else's, and its settings, too. */
  private static void refusePooler(MillraceConfig config) throws Exception {
    try {
      OperatorSession.run(config, "migrate", (vertx, database) -> Future.succeededFuture());
    } catch (Failure unanswered) {
      throw new IllegalStateException(
          "the database cannot be reached: " + unanswered.getMessage(), unanswered);
    }
  }

  /** By SQLSTATE: PostgreSQL, appendix A, class 08. */
  private static boolean isConnectionFailure(SQLException cause) {
    return cause.getSQLState() != null && cause.getSQLState().startsWith("08");
  }

  /** After the schema millrace, whose roles it grants to. */
  static int migrateSpatial(MillraceConfig config) {
    DatabaseConfig d = PoolerCheck.direct(config, "migrate");
    String url =
        "jdbc:postgresql://%s:%d/%s?sslmode=%s&ApplicationName=millrace-migrate&options=%s"
            .formatted(
                d.host(),
                d.port(),
                URLEncoder.encode(d.name(), StandardCharsets.UTF_8),
                sslMode(d),
                // A queued lock of a migration stalls everyone behind it.
                URLEncoder.encode("-c lock_timeout=2s", StandardCharsets.UTF_8));
    return new SpatialMigration(new SpatialMigration.Login(url, d.user(), d.password().reveal()))
        .migrate();
  }

  private static String sslMode(DatabaseConfig database) {
    return database.sslMode().name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static SchemaMigration.Result migrate(MillraceConfig config) {
    DatabaseConfig d = PoolerCheck.direct(config, "migrate");
    SchemaMigration.Login login =
        new SchemaMigration.Login(
            d.host(), d.port(), d.name(), d.user(), d.password().reveal(), sslMode(d));
    return new SchemaMigration(login, SchemaMigration.Layout.of(config)).migrate();
  }
}
