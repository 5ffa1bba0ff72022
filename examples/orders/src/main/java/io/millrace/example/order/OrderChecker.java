package io.millrace.example.order;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Holds what was placed against what arrives: each order's events have to arrive, placed, paid,
 * shipped, in the order of its revisions. Keeps only what is under way, so it can run for days.
 * Called from the load's context and the consumer's thread.
 */
final class OrderChecker {
  static final long LAST_REVISION = 3;

  /** Ids remembered after they are done, to tell a repeat from something new. */
  private static final int REMEMBERED_MAX = 200_000;

  private static final int PROBLEMS_MAX = 20;

  private final Map<String, Long> open = new LinkedHashMap<>();
  private final Set<String> early = new LinkedHashSet<>();
  private final Set<UUID> arrivedIds = new LinkedHashSet<>();
  private final Map<String, Long> revisions = new HashMap<>();
  private final List<String> problems = new ArrayList<>();
  private long placed;
  private long arrived;
  private long shipped;
  private long repeats;

  /**
   * What the checker counts.
   *
   * @param open orders that are placed and whose last event has not arrived
   * @param oldestOpenMs since when the oldest of them has been placed
   */
  record Counts(
      long placed, long arrived, long shipped, long repeats, int open, long oldestOpenMs) {}

  /** An order's command has been committed. */
  synchronized void placed(String orderId) {
    placed++;
    if (!early.remove(orderId)) {
      open.put(orderId, System.nanoTime());
    }
  }

  /** A record has been read. */
  synchronized void arrived(UUID messageId, String orderId, long revision) {
    if (!remember(arrivedIds, messageId)) {
      repeats++;
      return;
    }
    arrived++;
    long expected = revisions.getOrDefault(orderId, 0L) + 1;
    if (revision != expected && problems.size() < PROBLEMS_MAX) {
      problems.add(
          "order %s: revision %d was expected, %d arrived".formatted(orderId, expected, revision));
    }
    if (revision >= LAST_REVISION) {
      revisions.remove(orderId);
      shipped(orderId);
    } else {
      revisions.put(orderId, revision);
    }
  }

  private void shipped(String orderId) {
    shipped++;
    if (open.remove(orderId) == null) {
      // Everything was faster than the reply of the command.
      remember(early, orderId);
    }
  }

  private static <T> boolean remember(Set<T> known, T id) {
    if (!known.add(id)) {
      return false;
    }
    if (known.size() > REMEMBERED_MAX) {
      known.remove(known.iterator().next());
    }
    return true;
  }

  synchronized Counts counts() {
    long oldestMs =
        open.isEmpty() ? 0 : (System.nanoTime() - open.values().iterator().next()) / 1_000_000;
    return new Counts(placed, arrived, shipped, repeats, open.size(), oldestMs);
  }

  /** Whether everything that follows from the orders placed has arrived. */
  synchronized boolean isComplete() {
    return open.isEmpty();
  }

  /** Disorder that was seen, at most {@value #PROBLEMS_MAX} lines. */
  synchronized List<String> problems() {
    return List.copyOf(problems);
  }
}
