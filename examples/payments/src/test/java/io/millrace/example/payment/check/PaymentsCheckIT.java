package io.millrace.example.payment.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.devstack.PostgresSpec;
import io.millrace.example.payment.CarelessNode;
import io.millrace.example.payment.PaymentsNode;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@code -Dmillrace.check.seed=N} repeats a run, {@code -Dmillrace.check.events=N} sets its size.
 */
class PaymentsCheckIT {
  private static final int EVENTS = Integer.getInteger("millrace.check.events", 20_000);
  private static final int NODES = 3;
  private static final long FIXED_SEED = 1;

  @TempDir Path directory;

  static LongStream seeds() {
    Long given = Long.getLong("millrace.check.seed");
    if (given != null) {
      return LongStream.of(given);
    }
    Random random = new Random();
    return LongStream.of(
        FIXED_SEED, random.nextInt(Integer.MAX_VALUE), random.nextInt(Integer.MAX_VALUE));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void every_event_is_booked_once_whatever_happens_to_the_consumers(long seed) throws Exception {
    CheckReport report = run(EVENTS, seed, PaymentsNode.class);
    assertThat(report.problems()).isEmpty();
    assertThat(report.recognised()).isPositive();
  }

  @Test
  void a_consumer_that_books_outside_its_transaction_is_found_out() throws Exception {
    CheckReport report = run(EVENTS / 4, FIXED_SEED, CarelessNode.class);
    assertThat(report.isGood()).isFalse();
    assertThat(report.problems())
        .anySatisfy(problem -> assertThat(problem).contains("accounts are wrong"))
        .anySatisfy(problem -> assertThat(problem).contains("different events"));
  }

  private CheckReport run(long events, long seed, Class<?> node) throws Exception {
    int version = PostgresSpec.fromSystemProperty().majorVersion();
    CheckReport report =
        PaymentsCheck.run(
            new CheckSpec(events, seed, NODES, version, node.getName()), directory, System.out);
    report.print(System.out);
    return report;
  }
}
