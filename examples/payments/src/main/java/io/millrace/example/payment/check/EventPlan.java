package io.millrace.example.payment.check;

import io.millrace.core.message.Uuid7;
import io.millrace.example.payment.Payment;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Which events there are, and which are repeated. Each is a pure function of the seed and its
 * number, so a repeat of one from long ago is made anew and nothing has to be remembered.
 *
 * @param fromMs time in the id of the first event, milliseconds since 1970
 */
record EventPlan(long seed, long events, long fromMs) {
  static final int ACCOUNTS = 4_000;

  /** Wider than a bucket of the inbox, so that ids lie in several. */
  static final long SPAN_MS = TimeUnit.DAYS.toMillis(3);

  private static final long AMOUNT_CENTS_MAX = 100_000;
  private static final double REPEATED = 0.1;

  /** Far from the states that the events' own numbers begin with. */
  private static final long REPEAT_STREAM = 0x5DEECE66D0000000L;

  /** A repeat: where it comes from, and how it differs from the first time. */
  record Repeat(long event, boolean isByOtherProducer, boolean isElsewhere) {}

  /**
   * An event.
   *
   * @param number from 0
   */
  Payment event(long number) {
    SplittableRandom random = new SplittableRandom(seed + number);
    int account = random.nextInt(ACCOUNTS);
    long amountCents = random.nextLong(1, AMOUNT_CENTS_MAX);
    // Dividing first would put all of a small number into one millisecond.
    long atMs = fromMs + (long) ((double) SPAN_MS * number / events);
    return new Payment(Uuid7.of(atMs, random.nextLong(), random.nextLong()), account, amountCents);
  }

  /**
   * What is sent once more after an event: now and then that one itself at once, or one from any
   * time before; by the same producer or another one; now and then to another topic partition.
   */
  Optional<Repeat> repeatAfter(long number) {
    SplittableRandom random = new SplittableRandom((seed ^ REPEAT_STREAM) + number);
    if (random.nextDouble() >= REPEATED) {
      return Optional.empty();
    }
    boolean isAtOnce = random.nextInt(3) == 0;
    long event = isAtOnce ? number : random.nextLong(number + 1);
    return Optional.of(new Repeat(event, random.nextBoolean(), random.nextInt(4) == 0));
  }
}
