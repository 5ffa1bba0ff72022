package io.millrace.kafka;

import io.millrace.port.Source.Assignment;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A topic partition for as long as this member has it, seen from both sides: the listener's context
 * writes what it wishes, the poll thread follows and writes what it has found. Each field has one
 * writer. Only the newest wish counts, so that nothing queues up while the poll thread is busy.
 */
final class HeldPartition {
  private final Assignment assignment;
  private final TopicPartition topicPartition;

  private volatile Wish wish = new Wish(0, null, false);

  // From here on written on the poll thread only.
  private volatile boolean isOver;
  private volatile Lag lag = new Lag(0, 0);
  private int followed;
  private Step step = Step.IDLE;

  private enum Step {
    /** Not begun, or its position was of no use. */
    IDLE,
    /** It has begun and has no position yet. */
    WAITING,
    READING
  }

  HeldPartition(TopicPartition topicPartition, long generation) {
    this.topicPartition = topicPartition;
    this.assignment =
        new Assignment(topicPartition.topic(), topicPartition.partition(), generation);
  }

  /**
   * What the listener wants.
   *
   * @param begins how often it has begun: what was read for an earlier one is not delivered
   * @param position null before the first, and while it is being checked
   */
  record Wish(int begins, @Nullable OffsetAndMetadata position, boolean isPaused) {}

  /** Measured while the poll thread followed that one of the begins. */
  private record Lag(int begins, long records) {}

  Assignment assignment() {
    return assignment;
  }

  TopicPartition topicPartition() {
    return topicPartition;
  }

  // On the context.

  /**
   * Drops what was read before; {@link #beginAt} follows.
   *
   * @return which of the begins this is
   */
  int begin() {
    int begins = wish.begins() + 1;
    wish = new Wish(begins, null, false);
    return begins;
  }

  /** Without effect when there was another begin since. */
  void beginAt(int begins, OffsetAndMetadata position) {
    if (wish.begins() == begins) {
      wish = new Wish(begins, position, wish.isPaused());
    }
  }

  void pause(boolean isPaused) {
    wish = new Wish(wish.begins(), wish.position(), isPaused);
  }

  /** Whether what was read for that one of the begins may still be told. */
  boolean counts(int begins) {
    return !isOver && wish.begins() == begins;
  }

  OptionalLong lag() {
    Lag measured = lag;
    boolean isKnown = measured.begins() > 0 && counts(measured.begins());
    return isKnown ? OptionalLong.of(measured.records()) : OptionalLong.empty();
  }

  // On the poll thread.

  Wish wish() {
    return wish;
  }

  /** How many begins have been followed. */
  int followed() {
    return followed;
  }

  /** Whether it is to read from a position that it has not got yet. */
  boolean mustSeek(Wish wish) {
    boolean isNew = wish.begins() != followed || step == Step.WAITING;
    return isNew && wish.position() != null;
  }

  void follows(Wish wish) {
    if (wish.begins() != followed || step == Step.WAITING) {
      followed = wish.begins();
      step = wish.position() == null ? Step.WAITING : Step.READING;
    }
  }

  /** Whether there is a position to read from: it has begun, and nothing came between. */
  boolean isReading() {
    return step == Step.READING;
  }

  void stopReading() {
    step = Step.IDLE;
  }

  void measured(long lagRecords) {
    lag = new Lag(followed, lagRecords);
  }

  void end() {
    isOver = true;
  }

  @Override
  public String toString() {
    return assignment.toString();
  }
}
