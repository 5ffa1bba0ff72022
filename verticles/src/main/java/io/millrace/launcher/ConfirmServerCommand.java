package io.millrace.launcher;

import io.millrace.core.config.MillraceConfig;
import io.millrace.launcher.config.ConfigLoader;
import io.millrace.postgres.PgOrigin;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** After pg_upgrade: the server is another one, and has taken over the counter of the old one. */
@Command(
    name = "confirm-server",
    description = {
      "Accepts the database server after pg_upgrade or a copy of its files: nodes refuse to start on a server that the"
          + " installation does not know.",
      "Needs the schema's owner or a member of millrace_operator. Changes nothing when the server has not taken over the"
          + " old one's transaction counter: then the database was restored, see rebase."
    },
    mixinStandardHelpOptions = true)
final class ConfirmServerCommand implements Callable<Integer> {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The configuration; without one, defaults and environment.")
  private @Nullable Path file;

  @Mixin private final Operator operator = new Operator();

  @Override
  public Integer call() throws Exception {
    MillraceConfig config = ConfigLoader.load(Optional.ofNullable(file), System.getenv());
    boolean isChanged =
        OperatorSession.run(
            config,
            "confirm-server",
            (vertx, database) ->
                new PgOrigin(database).confirm(operator.actor(), operator.reason()));
    System.out.println(
        isChanged
            ? "the server is confirmed: nodes may start"
            : "the server is the known one: there was nothing to confirm");
    return 0;
  }
}
