package io.millrace.example.order;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Holds what was written against what arrives: completeness by message id, order by the revisions
 * of each order. Keeps only what is under way, so it can run for days. Called from the load's
 * context and the consumer's thread.
 */
final class OrderChecker {
  static final long LAST_REVISION = 3;

  /** Ids and orders remembered after they are done, to tell a repeat from something new. */
  private static final int REMEMBERED_MAX = 200_000;

  private static final int PROBLEMS_MAX = 20;

  private final Map<UUID, Long> awaited = new LinkedHashMap<>();
  private final Set<UUID> early = new HashSet<>();
  private final Set<UUID> arrivedIds = bounded();
  private final Map<String, Long> revisions = new HashMap<>();
  private final List<String> problems = new ArrayList<>();
  private long written;
  private long arrived;
  private long repeats;

  private static Set<UUID> bounded() {
    return new LinkedHashSet<>();
  }

  /** What the checker counts. */
  record Counts(long written, long arrived, long repeats, int awaited, long oldestAwaitedMs) {}

  /** A change has been committed. */
  synchronized void written(UUID messageId) {
    written++;
    if (!early.remove(messageId)) {
      awaited.put(messageId, System.nanoTime());
    }
  }

  /** A record has been read. */
  synchronized void arrived(UUID messageId, String orderId, long revision) {
    if (!remember(messageId)) {
      repeats++;
      return;
    }
    arrived++;
    if (awaited.remove(messageId) == null) {
      // The relay was faster than the reply of the commit.
      early.add(messageId);
    }
    long expected = revisions.getOrDefault(orderId, 0L) + 1;
    if (revision != expected && problems.size() < PROBLEMS_MAX) {
      problems.add(
          "order "
              + orderId
              + ": revision "
              + expected
              + " was expected, "
              + revision
              + " arrived");
    }
    if (revision >= LAST_REVISION) {
      revisions.remove(orderId);
    } else {
      revisions.put(orderId, revision);
    }
  }

  private boolean remember(UUID messageId) {
    if (!arrivedIds.add(messageId)) {
      return false;
    }
    if (arrivedIds.size() > REMEMBERED_MAX) {
      UUID oldest = arrivedIds.iterator().next();
      arrivedIds.remove(oldest);
      early.remove(oldest);
    }
    return true;
  }

  synchronized Counts counts() {
    long oldestMs =
        awaited.isEmpty()
            ? 0
            : (System.nanoTime() - awaited.values().iterator().next()) / 1_000_000;
    return new Counts(written, arrived, repeats, awaited.size(), oldestMs);
  }

  /** Whether everything written has arrived. */
  synchronized boolean isComplete() {
    return awaited.isEmpty();
  }

  /** Disorder that was seen, at most {@value #PROBLEMS_MAX} lines. */
  synchronized List<String> problems() {
    return List.copyOf(problems);
  }
}
