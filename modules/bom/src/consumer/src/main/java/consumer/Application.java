package consumer;

import io.millrace.core.config.MillraceConfig;
import io.millrace.launcher.Millrace;
import io.millrace.testkit.History;
import io.millrace.testkit.Invariant;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Starts Millrace where there is no database and sees it refused for that: everything that a start
 * needs has been found.
 */
public final class Application {
  private Application() {}

  public static void main(String[] args) throws Exception {
    Invariant.check(new History(), Invariant.always());
    Vertx vertx = Vertx.vertx();
    MillraceConfig config = MillraceConfig.from(Map.of("database.port", 1));
    try {
      Millrace.in(vertx, config).start().toCompletionStage().toCompletableFuture().get(1, TimeUnit.MINUTES);
      throw new AssertionError("a start without a database was not refused");
    } catch (ExecutionException refused) {
      String reason = String.valueOf(refused.getCause().getMessage());
      if (!reason.contains("127.0.0.1:1")) {
        throw refused;
      }
      System.out.println("build-twice: an application with the BOM starts, and is told: " + reason);
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get(1, TimeUnit.MINUTES);
    }
  }
}
