package io.millrace.example.payment.check;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code millrace check}: shows a promise under load and faults. */
@Command(
    name = "millrace check",
    description = "Shows on this machine that a promise holds under load and faults.",
    synopsisSubcommandLabel = "payments",
    subcommands = PaymentsCommand.class,
    mixinStandardHelpOptions = true)
public final class CheckCommand {
  private CheckCommand() {}

  public static void main(String[] args) {
    CommandLine line =
        new CommandLine(new CheckCommand())
            .setExecutionExceptionHandler(
                (failure, command, parsed) -> {
                  command.getErr().println("millrace check: " + failure.getMessage());
                  return 1;
                });
    System.exit(line.execute(args));
  }
}
