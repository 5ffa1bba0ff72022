package io.millrace.bench.millrace;

import io.millrace.bench.spi.SubjectSettings;
import io.millrace.core.config.MillraceConfig;
import io.millrace.launcher.Millrace;
import io.millrace.postgres.SchemaMigration;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Millrace's configuration: its defaults but for where everything is. */
final class MillraceSettings {
  private static final int START_ATTEMPTS_MAX = 10;
  private static final long CALL_WAIT_S = 120;

  private final SubjectSettings settings;
  private final MillraceConfig config;

  /**
   * @param own values by dotted key
   */
  MillraceSettings(SubjectSettings settings, Map<String, ?> own) {
    Map<String, Object> values = new HashMap<>(own);
    values.put("database.host", settings.host());
    values.put("database.port", settings.port());
    values.put("database.name", settings.database());
    values.put("database.user", settings.user());
    values.put("database.ssl_mode", "disable");
    values.put("kafka.bootstrap_servers", settings.bootstrapServers());
    values.put("admin.port", 0);
    this.settings = settings;
    this.config = MillraceConfig.from(values);
  }

  MillraceConfig config() {
    return config;
  }

  /**
   * Starts it. Where the machine is so busy that a start fails, it is made again, as a platform
   * would.
   */
  Millrace start(Millrace.Builder builder) throws Exception {
    for (int attempt = 1; ; attempt++) {
      try {
        return await(builder.start());
      } catch (ExecutionException e) {
        if (attempt == START_ATTEMPTS_MAX) {
          throw e;
        }
        System.err.println("millrace did not start, attempt " + attempt + ": " + e);
      }
    }
  }

  static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(CALL_WAIT_S, TimeUnit.SECONDS);
  }

  void migrate() {
    new SchemaMigration(
            new SchemaMigration.Login(
                settings.host(),
                settings.port(),
                settings.database(),
                settings.user(),
                "",
                "disable"),
            SchemaMigration.Layout.of(config))
        .migrate();
  }
}
