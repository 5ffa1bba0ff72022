package io.millrace.example.feature;

import io.millrace.devstack.DevStack;
import io.millrace.devstack.DevStackSpec;
import io.millrace.devstack.KafkaSpec;
import io.millrace.devstack.PostgresSpec;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code millrace dev --spatial}: vehicles that move on a map, and their events by cell. */
@Command(
    name = "millrace dev --spatial",
    description = {
      "Starts PostgreSQL with PostGIS and Kafka on this machine, and lets vehicles move. Each change is",
      "announced under the H3 cell it is in; a subscriber shows what it knows, and it is held against the",
      "table at the end. Nothing is kept."
    },
    mixinStandardHelpOptions = true)
public final class FeaturesCommand implements Callable<Integer> {
  private static final long STOP_WAIT_S = 60;

  @Option(
      names = "--rate",
      defaultValue = "50",
      paramLabel = "N",
      description = "Changes a second, 1 to 1000 (default: ${DEFAULT-VALUE}).")
  private int rate;

  @Option(
      names = "--duration",
      defaultValue = "0",
      paramLabel = "S",
      description = "Seconds until it ends by itself; 0 (the default): not before Ctrl-C.")
  private int durationS;

  public static void main(String[] args) {
    CommandLine line =
        new CommandLine(new FeaturesCommand())
            .setExecutionExceptionHandler(
                (failure, command, parsed) -> {
                  command.getErr().println("millrace dev: " + failure.getMessage());
                  return 1;
                });
    System.exit(line.execute(args));
  }

  @Override
  public Integer call() throws Exception {
    check("--rate", rate, 1, 1_000);
    check("--duration", durationS, 0, 1_000_000);
    CountDownLatch ending = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    // Ctrl-C: the hook lets the main thread end everything, and waits for it.
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  ending.countDown();
                  awaitQuietly(ended);
                },
                "millrace-dev-stop"));
    try {
      return run(ending);
    } finally {
      ended.countDown();
    }
  }

  private static void check(String option, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          option + " must be " + min + " to " + max + ", found " + value);
    }
  }

  private int run(CountDownLatch ending) throws Exception {
    System.out.println(
        "Millrace dev: everything runs on this machine and nothing is kept. Ctrl-C ends it.");
    DevStackSpec spec = new DevStackSpec(PostgresSpec.ofPostgis(), KafkaSpec.defaults());
    try (DevStack stack = DevStack.start(spec)) {
      stack.kafka().createTopic(Fleet.TOPIC, FleetMap.TOPIC_PARTITIONS, Map.of());
      try (FleetMap map = FleetMap.open(stack, rate)) {
        map.describe(System.out);
        for (int second = 1; durationS == 0 || second <= durationS; second++) {
          if (ending.await(1, TimeUnit.SECONDS)) {
            System.out.println();
            break;
          }
          System.out.println(map.line(second));
        }
        return map.finish(System.out) ? 0 : 1;
      }
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      if (!latch.await(STOP_WAIT_S, TimeUnit.SECONDS)) {
        System.err.println("millrace dev: not ended within " + STOP_WAIT_S + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
