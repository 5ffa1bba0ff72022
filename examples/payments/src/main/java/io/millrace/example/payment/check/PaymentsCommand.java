package io.millrace.example.payment.check;

import io.millrace.example.payment.PaymentsNode;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code millrace check payments}. */
@Command(
    name = "payments",
    description = {
      "Starts PostgreSQL and Kafka on this machine, writes payments to a topic, a tenth of them more than once,",
      "and books them by consumers in processes of their own that are killed, frozen and stopped meanwhile.",
      "Then every account is compared to the cent. Nothing is kept."
    },
    mixinStandardHelpOptions = true)
final class PaymentsCommand implements Callable<Integer> {
  @Option(
      names = "--events",
      defaultValue = "100000",
      paramLabel = "N",
      description = "How many, 1 to 100000000 (default: ${DEFAULT-VALUE}).")
  private long events;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description =
          "Decides on events, repeats and faults; without it a random one, which is told.")
  private @Nullable Long seed;

  @Option(
      names = "--nodes",
      defaultValue = "3",
      paramLabel = "N",
      description = "Consumer processes, 1 to 12 (default: ${DEFAULT-VALUE}).")
  private int nodes;

  @Option(
      names = "--postgres",
      defaultValue = "18",
      paramLabel = "VERSION",
      description = "PostgreSQL 18 (the default) or 15.")
  private int postgresVersion;

  @Override
  public Integer call() throws Exception {
    Long given = seed;
    CheckSpec spec =
        new CheckSpec(
            events,
            given == null ? new Random().nextInt(Integer.MAX_VALUE) : given,
            nodes,
            postgresVersion,
            PaymentsNode.class.getName());
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    CheckReport report = PaymentsCheck.run(spec, temporary, System.out);
    report.print(System.out);
    return report.isGood() ? 0 : 1;
  }
}
