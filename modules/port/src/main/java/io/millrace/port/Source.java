package io.millrace.port;

import io.millrace.core.inbox.ReceivedRecord;
import io.vertx.core.Future;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads topics as a member of a consumer group. Polls on a thread of its own, whatever the listener
 * is doing, so that a slow consumer stays a member; what the listener has no room for is held back
 * by {@link #pause}.
 *
 * <p>Called on one context, on which the listener is called as well.
 */
public interface Source {

  /**
   * Joins the group.
   *
   * @return completes when polling has begun; an absent broker is no failure, it is waited for
   */
  Future<Void> start(Listener listener);

  /**
   * Begins to read an assigned topic partition, or goes to another offset of it; records that were
   * read before are not delivered any more. Without effect once the assignment is over.
   *
   * @param leaderEpoch the leader epoch of the record before the offset, so that the client finds
   *     out about a log that was truncated meanwhile; -1: not known
   */
  void begin(Assignment assignment, long offset, int leaderEpoch);

  /** Delivers no more of it until {@link #resume}; what is on its way may still come. */
  void pause(Assignment assignment);

  void resume(Assignment assignment);

  /**
   * Tells the group how far the consumer is, for those who look at it from outside. Nothing reads
   * it back.
   */
  void report(Assignment assignment, long offset);

  /** First and next offset of a topic partition. */
  Future<OffsetRange> offsets(Assignment assignment);

  /** Records not yet read of the topic partition; empty while that is not known. */
  OptionalLong lag(Assignment assignment);

  /** Leaves the group. Completes when the thread has ended; the listener is not called any more. */
  Future<Void> close();

  /**
   * A topic partition that this member reads from now on.
   *
   * @param generation differs for each time that it is assigned
   */
  record Assignment(String topic, int topicPartition, long generation) {
    @Override
    public String toString() {
      return topic + "-" + topicPartition;
    }
  }

  /**
   * Which offsets a topic partition has.
   *
   * @param beginning the offset of the oldest record that there is
   * @param end the offset that the next record will have
   */
  record OffsetRange(long beginning, long end) {}

  /** Hears what happens. Must not throw. */
  interface Listener {
    /** Nothing is delivered of them before {@link Source#begin}. */
    void assigned(List<Assignment> assignments);

    /**
     * They go to another member. Polling stands still until the future completes, for a bounded
     * time: what runs should be finished, and nothing new begun.
     */
    Future<Void> revoked(List<Assignment> assignments);

    /** They have gone to another member already, who may be working on them. */
    void lost(List<Assignment> assignments);

    /** Records of one topic partition, in the order of their offsets. */
    void received(Assignment assignment, List<ReceivedRecord> records);

    /**
     * What was asked for is not there: the log was truncated, has expired, or belongs to a topic
     * that was made anew. Nothing more is delivered before the next {@link Source#begin}.
     */
    void outOfRange(Assignment assignment, String reason);

    /** Reading fails, or works again (null). */
    void state(@Nullable Throwable failure);
  }
}
