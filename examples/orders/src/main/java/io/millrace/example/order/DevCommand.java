package io.millrace.example.order;

import io.millrace.devstack.DevStack;
import io.millrace.devstack.DevStackSpec;
import io.millrace.devstack.KafkaSpec;
import io.millrace.devstack.PostgresSpec;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * {@code millrace dev}: the whole of Millrace on this machine, with a live workload that is checked
 * as it runs.
 */
@Command(
    name = "millrace dev",
    description = {
      "Starts PostgreSQL and Kafka on this machine, lays the schema, and runs an order workload through",
      "writer and relay. A plain Kafka consumer checks that what arrives is complete and in order.",
      "Nothing is kept."
    },
    mixinStandardHelpOptions = true)
public final class DevCommand implements Callable<Integer> {
  static final int TOPIC_PARTITIONS = 6;
  private static final long STOP_WAIT_S = 60;

  @Mixin private final DevOptions options = new DevOptions();

  public static void main(String[] args) {
    CommandLine line =
        new CommandLine(new DevCommand())
            .setExecutionExceptionHandler(
                (failure, command, parsed) -> {
                  command.getErr().println("millrace dev: " + failure.getMessage());
                  return 1;
                });
    System.exit(line.execute(args));
  }

  @Override
  public Integer call() throws Exception {
    options.check();
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

  private int run(CountDownLatch ending) throws Exception {
    System.out.println(
        "Millrace dev: everything runs on this machine and nothing is kept. Ctrl-C ends it.");
    try (DevStack stack = DevStack.start(spec())) {
      stack.kafka().createTopic(OrderEvent.TOPIC, TOPIC_PARTITIONS, Map.of());
      try (OrderShop shop = OrderShop.open(stack, new OrderChecker(), options)) {
        shop.describe(System.out);
        live(shop, ending);
        return shop.finish(System.out) ? 0 : 1;
      }
    }
  }

  private DevStackSpec spec() {
    PostgresSpec postgres = PostgresSpec.ofVersion(options.postgresVersion);
    KafkaSpec kafka = KafkaSpec.defaults();
    return new DevStackSpec(
        options.postgresPort == 0 ? postgres : postgres.withPort(options.postgresPort),
        options.kafkaPort == 0 ? kafka : kafka.withPort(options.kafkaPort));
  }

  /** One line a second, until it is time to end. */
  private void live(OrderShop shop, CountDownLatch ending) throws InterruptedException {
    OptionalInt seconds =
        options.durationS == 0 ? OptionalInt.empty() : OptionalInt.of(options.durationS);
    for (int second = 1; seconds.isEmpty() || second <= seconds.getAsInt(); second++) {
      if (ending.await(1, TimeUnit.SECONDS)) {
        System.out.println();
        return;
      }
      System.out.println(shop.line(second));
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
