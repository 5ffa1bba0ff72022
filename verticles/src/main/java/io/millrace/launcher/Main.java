package io.millrace.launcher;

import io.millrace.launcher.status.StatusCommand;
import io.millrace.launcher.status.TopCommand;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The server's command line. */
@Command(
    name = "millrace",
    description = "A transactional outbox engine for PostgreSQL and Kafka.",
    mixinStandardHelpOptions = true,
    subcommands = {
      RunCommand.class,
      MigrateCommand.class,
      RebaseCommand.class,
      ConfirmServerCommand.class,
      StatusCommand.class,
      TopCommand.class
    })
public final class Main implements Callable<Integer> {
  private static final int USAGE = 2;

  @Override
  public Integer call() {
    CommandLine.usage(this, System.out);
    return USAGE;
  }

  public static void main(String[] args) {
    System.exit(
        new CommandLine(new Main()).setExecutionExceptionHandler(Failures::report).execute(args));
  }
}
