package io.millrace.kafka;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;

/**
 * The records of one topic partition in front of the producer, in the order in which they came.
 *
 * <p>A broker before Kafka 4.5 that knows nothing of a producer accepts any first sequence number
 * (KAFKA-15591): of several requests in flight the second may be taken as the first, and the first
 * be lost or land behind it. So a topic partition that this producer has not just written to
 * successfully gets one record alone:
 *
 * <ul>
 *   <li>COLD: nothing is acknowledged yet, or something failed since. The next record goes when
 *       nothing is in flight any more, and makes it PROBING.
 *   <li>PROBING: one record is in flight, the others wait. Acknowledged: WARM. Failed, or not
 *       handed over after all: COLD.
 *   <li>WARM: records go at once. A failure makes it COLD; so does the time without any
 *       acknowledgement, after which the broker may have forgotten the producer.
 * </ul>
 *
 * <p>Pure: times are the caller's, in nanoseconds of a monotonic clock.
 */
final class TopicPartitionGate<T> {
  private enum State {
    COLD,
    PROBING,
    WARM
  }

  private final long warmNanosMax;
  private final Deque<T> waiting = new ArrayDeque<>();
  private State state = State.COLD;
  private int inFlight;
  private long acknowledgedAtNanos;

  /**
   * @param warmNanosMax how long an acknowledgement is trusted
   */
  TopicPartitionGate(long warmNanosMax) {
    this.warmNanosMax = warmNanosMax;
  }

  void add(T record) {
    waiting.add(record);
  }

  /** Whether a record waits that may be handed to the producer now. */
  boolean mayTake(long nowNanos) {
    return !waiting.isEmpty() && (isWarm(nowNanos) || (state != State.PROBING && inFlight == 0));
  }

  private boolean isWarm(long nowNanos) {
    return state == State.WARM && nowNanos - acknowledgedAtNanos < warmNanosMax;
  }

  /** The record that {@link #take} would give. */
  T head() {
    return waiting.element();
  }

  /**
   * Takes the next record out, as in flight until it is reported by {@link #acknowledged}, {@link
   * #failed}, {@link #returned} or {@link #putBack}.
   *
   * @throws IllegalStateException when {@link #mayTake} is false
   */
  T take(long nowNanos) {
    if (!mayTake(nowNanos)) {
      throw new IllegalStateException(
          "nothing may be taken: %s, %d in flight, %d waiting"
              .formatted(state, inFlight, waiting.size()));
    }
    if (!isWarm(nowNanos)) {
      state = State.PROBING;
    }
    inFlight++;
    return waiting.remove();
  }

  /** Whether the record in flight is alone and the others wait for its answer. */
  boolean isProbing() {
    return state == State.PROBING;
  }

  void acknowledged(long nowNanos) {
    inFlight--;
    acknowledgedAtNanos = nowNanos;
    // In COLD it is the answer to a record from before the failure, which proves nothing.
    if (state == State.PROBING) {
      state = State.WARM;
    }
  }

  void failed() {
    inFlight--;
    state = State.COLD;
  }

  /** The producer never had the record: that says nothing about the topic partition. */
  void returned() {
    inFlight--;
    if (state == State.PROBING) {
      state = State.COLD;
    }
  }

  /** As {@link #returned}, and it is the next to be taken again. */
  void putBack(T record) {
    returned();
    waiting.addFirst(record);
  }

  boolean hasWaiting() {
    return !waiting.isEmpty();
  }

  /** Removes records that wait; the others keep their order. */
  List<T> withdraw(Predicate<T> which) {
    List<T> withdrawn = new ArrayList<>();
    for (Iterator<T> records = waiting.iterator(); records.hasNext(); ) {
      T record = records.next();
      if (which.test(record)) {
        records.remove();
        withdrawn.add(record);
      }
    }
    return withdrawn;
  }
}
