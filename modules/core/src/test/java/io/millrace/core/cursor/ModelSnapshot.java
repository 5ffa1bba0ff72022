package io.millrace.core.cursor;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What {@code pg_snapshot} means, for the model: the core itself never looks into one. */
record ModelSnapshot(long xmin, long xmax, Set<Long> running) {

  static ModelSnapshot of(Snapshot snapshot) {
    String[] parts = snapshot.text().split(":", -1);
    Set<Long> running =
        parts[2].isEmpty()
            ? Set.of()
            : Arrays.stream(parts[2].split(",")).map(Long::valueOf).collect(Collectors.toSet());
    return new ModelSnapshot(Long.parseLong(parts[0]), Long.parseLong(parts[1]), running);
  }

  /** Whether the transaction had ended when the snapshot was taken. */
  boolean sees(long xid) {
    return xid < xmin || (xid < xmax && !running.contains(xid));
  }

  Snapshot toSnapshot() {
    String list =
        new TreeSet<>(running).stream().map(String::valueOf).collect(Collectors.joining(","));
    return new Snapshot(xmin + ":" + xmax + ":" + list);
  }
}
