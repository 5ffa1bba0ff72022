package io.millrace.kafka;

import io.millrace.port.Source.Assignment;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits to the group how far the listener is, for lag tools to see. Nothing rests on it: a commit
 * that fails is repeated with the next one, and is no failure of the source.
 */
final class ProgressReports {
  private static final Logger LOG = LoggerFactory.getLogger(ProgressReports.class);
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final Duration LAST_COMMIT_MAX = Duration.ofSeconds(1);

  private final ConcurrentMap<Assignment, Long> newest = new ConcurrentHashMap<>();

  // On the poll thread.
  private long lastNanos = System.nanoTime();
  private boolean isUnderWay;

  /** From any thread; the newest one counts, even if it is lower. */
  void report(Assignment assignment, long offset) {
    newest.put(assignment, offset);
  }

  /** Forgets what the former consumer had under way. */
  void restart() {
    isUnderWay = false;
  }

  void commitWhenDue(Consumer<?, ?> consumer, Collection<HeldPartition> held) {
    if (isUnderWay || newest.isEmpty() || System.nanoTime() - lastNanos < INTERVAL_NANOS) {
      return;
    }
    lastNanos = System.nanoTime();
    Map<Assignment, Long> taken = take(held);
    // What is left belongs to nobody any more.
    newest.keySet().removeIf(left -> !taken.containsKey(left) && !isHeld(left, held));
    if (!taken.isEmpty()) {
      isUnderWay = true;
      consumer.commitAsync(offsets(taken), (offsets, failure) -> answered(taken, failure));
    }
  }

  private Map<Assignment, Long> take(Collection<HeldPartition> held) {
    Map<Assignment, Long> taken = new HashMap<>();
    for (HeldPartition partition : held) {
      Long offset = newest.remove(partition.assignment());
      if (offset != null) {
        taken.put(partition.assignment(), offset);
      }
    }
    return taken;
  }

  private static boolean isHeld(Assignment assignment, Collection<HeldPartition> held) {
    return held.stream().anyMatch(partition -> partition.assignment().equals(assignment));
  }

  private void answered(Map<Assignment, Long> taken, Exception failure) {
    isUnderWay = false;
    if (failure != null) {
      LOG.debug("Progress has not been committed: {}", taken, failure);
      taken.forEach(newest::putIfAbsent);
    }
  }

  private static Map<TopicPartition, OffsetAndMetadata> offsets(Map<Assignment, Long> taken) {
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    taken.forEach(
        (assignment, offset) ->
            offsets.put(
                new TopicPartition(assignment.topic(), assignment.topicPartition()),
                new OffsetAndMetadata(offset)));
    return offsets;
  }

  /** What these have left to report. Blocks for a second at most. */
  void commitLast(Consumer<?, ?> consumer, Collection<HeldPartition> leaving) {
    Map<Assignment, Long> taken = take(leaving);
    if (taken.isEmpty()) {
      return;
    }
    try {
      commitSync(consumer, offsets(taken));
    } catch (KafkaException e) {
      LOG.debug("The last progress has not been committed: {}", taken, e);
    }
  }

  private static void commitSync(
      Consumer<?, ?> consumer, Map<TopicPartition, OffsetAndMetadata> offsets) {
    try {
      consumer.commitSync(offsets, LAST_COMMIT_MAX);
    } catch (WakeupException e) {
      // It was meant for the poll before, and is spent now.
      consumer.commitSync(offsets, LAST_COMMIT_MAX);
    }
  }
}
