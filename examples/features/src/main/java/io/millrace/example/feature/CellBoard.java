package io.millrace.example.feature;

import io.millrace.spatial.FeatureMessage;
import io.millrace.spatial.FeatureVersion;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a subscriber knows of all vehicles, and how many events each cell has seen. Messages of a
 * vehicle come from several topic partitions: their versions put them right. Thread-safe.
 */
final class CellBoard {
  private static final int SHOWN = 3;

  private final Map<String, FeatureVersion> newest = new HashMap<>();
  private final Map<String, Long> eventsByCell = new HashMap<>();
  private long arrived;
  private long newerThanSaid;
  private long left;

  synchronized void show(FeatureMessage message) {
    arrived++;
    String cell = message.routingKey();
    if (cell != null) {
      eventsByCell.merge(cell, 1L, Long::sum);
    }
    FeatureMessage.Verdict verdict =
        message.judge(newest.getOrDefault(message.featureId(), FeatureVersion.NONE));
    if (verdict.applies()) {
      newest.put(message.featureId(), message.version());
    } else {
      left++;
    }
    newerThanSaid += verdict == FeatureMessage.Verdict.NEWER_THAN_THE_EVENT ? 1 : 0;
  }

  synchronized long arrived() {
    return arrived;
  }

  /** For people. */
  synchronized String line() {
    String busiest =
        eventsByCell.entrySet().stream()
            .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
            .limit(SHOWN)
            .map(entry -> entry.getKey() + " " + entry.getValue())
            .collect(Collectors.joining(", "));
    return "arrived %,6d in %,3d cells, %d newer than said, %d left  busiest %s"
        .formatted(arrived, eventsByCell.size(), newerThanSaid, left, busiest);
  }

  /**
   * What this subscriber would show wrongly.
   *
   * @param versions of the vehicles that are there
   */
  synchronized List<String> stale(Map<String, Long> versions) {
    Map<String, Long> shown = new HashMap<>();
    newest.forEach(
        (id, version) -> {
          if (!version.isGone()) {
            shown.put(id, version.version());
          }
        });
    return Stream.concat(versions.keySet().stream(), shown.keySet().stream())
        .distinct()
        .filter(id -> !Objects.equals(versions.get(id), shown.get(id)))
        .map(
            id ->
                "vehicle %s: version %s in the database, %s shown"
                    .formatted(id, versions.get(id), shown.get(id)))
        .sorted()
        .toList();
  }
}
