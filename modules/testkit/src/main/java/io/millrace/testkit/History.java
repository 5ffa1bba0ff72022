package io.millrace.testkit;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * What was committed, and what was delivered in which order. May be written by several threads; an
 * order counts only between calls of one thread, so one thread reads one topic partition.
 */
public final class History {
  private final List<Committed> committed = new ArrayList<>();
  private final List<Delivered> delivered = new ArrayList<>();
  private final Set<UUID> deliveredIds = new HashSet<>();

  public synchronized void committed(Committed message) {
    committed.add(message);
  }

  public synchronized void delivered(Delivered message) {
    delivered.add(message);
    deliveredIds.add(message.messageId());
  }

  public synchronized List<Committed> committed() {
    return List.copyOf(committed);
  }

  public synchronized List<Delivered> delivered() {
    return List.copyOf(delivered);
  }

  /** How many different messages have been delivered. */
  public synchronized int distinctDelivered() {
    return deliveredIds.size();
  }

  /** How many deliveries were repeats. */
  public synchronized int duplicates() {
    return delivered.size() - deliveredIds.size();
  }

  synchronized boolean hasDelivered(UUID messageId) {
    return deliveredIds.contains(messageId);
  }
}
