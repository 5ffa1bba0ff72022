package io.millrace.kafka;

import io.millrace.kafka.HeldPartition.Wish;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The topic partitions that this member has, and the hand that moves the consumer's positions. A
 * topic partition that nobody reads yet, or that has lost its position, is paused and has a
 * placeholder for a position: otherwise every poll would fail for it, and for all others with it.
 *
 * <p>Lives on the poll thread and outlives a consumer, so that generations never repeat.
 */
final class AssignmentTable {
  private static final long PLACEHOLDER_OFFSET = 0;

  private final Map<TopicPartition, HeldPartition> held = new LinkedHashMap<>();
  private final Map<String, Long> suspended = new HashMap<>();
  private long generations;

  List<HeldPartition> assign(Consumer<?, ?> consumer, Collection<TopicPartition> assigned) {
    List<HeldPartition> fresh = new ArrayList<>();
    for (TopicPartition topicPartition : assigned) {
      HeldPartition partition = new HeldPartition(topicPartition, ++generations);
      HeldPartition former = held.put(topicPartition, partition);
      if (former != null) {
        former.end();
      }
      fresh.add(partition);
    }
    hold(consumer, assigned);
    return fresh;
  }

  private static void hold(Consumer<?, ?> consumer, Collection<TopicPartition> topicPartitions) {
    consumer.pause(topicPartitions);
    topicPartitions.forEach(each -> consumer.seek(each, PLACEHOLDER_OFFSET));
  }

  /** Nothing more of these is delivered, not even what is on its way to the listener. */
  List<HeldPartition> remove(Collection<TopicPartition> gone) {
    List<HeldPartition> removed = new ArrayList<>();
    for (TopicPartition topicPartition : gone) {
      HeldPartition partition = held.remove(topicPartition);
      if (partition != null) {
        partition.end();
        removed.add(partition);
      }
    }
    return removed;
  }

  List<HeldPartition> removeAll() {
    return remove(Set.copyOf(held.keySet()));
  }

  Collection<HeldPartition> all() {
    return List.copyOf(held.values());
  }

  @Nullable HeldPartition get(TopicPartition topicPartition) {
    return held.get(topicPartition);
  }

  /** Reads nothing of a topic for a while, so that its failures do not hold up the others. */
  void suspend(String topic, long ms) {
    suspended.put(topic, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms));
  }

  private boolean isSuspended(String topic) {
    return suspended.containsKey(topic);
  }

  /**
   * Brings the consumer to where the listener wants it.
   *
   * @param isHeldBack the listener has not yet heard what was read before: read nothing for now
   */
  void follow(Consumer<?, ?> consumer, boolean isHeldBack) {
    long now = System.nanoTime();
    suspended.values().removeIf(until -> until - now <= 0);
    Set<TopicPartition> paused = consumer.paused();
    Set<TopicPartition> toPause = new HashSet<>();
    Set<TopicPartition> toResume = new HashSet<>();
    for (HeldPartition partition : held.values()) {
      Wish wish = partition.wish();
      seek(consumer, partition, wish);
      boolean isWanted = partition.isReading() && !wish.isPaused();
      boolean flows = isWanted && !isHeldBack && !isSuspended(partition.topicPartition().topic());
      boolean isFlowing = !paused.contains(partition.topicPartition());
      if (flows != isFlowing) {
        (flows ? toResume : toPause).add(partition.topicPartition());
      }
    }
    if (!toPause.isEmpty()) {
      consumer.pause(toPause);
    }
    if (!toResume.isEmpty()) {
      consumer.resume(toResume);
    }
  }

  private static void seek(Consumer<?, ?> consumer, HeldPartition partition, Wish wish) {
    OffsetAndMetadata position = wish.position();
    if (position != null && partition.mustSeek(wish)) {
      consumer.seek(partition.topicPartition(), position);
    }
    partition.follows(wish);
  }

  /**
   * Takes a topic partition whose position is of no use out of the polls, until the listener begins
   * anew.
   *
   * @return null if this member does not have it
   */
  @Nullable HeldPartition stop(Consumer<?, ?> consumer, TopicPartition topicPartition) {
    hold(consumer, List.of(topicPartition));
    HeldPartition partition = held.get(topicPartition);
    if (partition != null) {
      partition.stopReading();
    }
    return partition;
  }

  /** What the client knows without asking. */
  void measureLags(Consumer<?, ?> consumer) {
    for (HeldPartition partition : held.values()) {
      if (partition.isReading()) {
        consumer.currentLag(partition.topicPartition()).ifPresent(partition::measured);
      }
    }
  }
}
