package io.millrace.example.payment;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a node has counted since it started, as one line.
 *
 * @param applied messages whose effects are committed
 * @param duplicates deliveries that were recognised as repeats
 */
public record NodeCounts(long applied, long duplicates) {
  public static final NodeCounts NONE = new NodeCounts(0, 0);

  private static final Pattern LINE = Pattern.compile("counts applied=(\\d+) duplicates=(\\d+)");

  @Override
  public String toString() {
    return "counts applied=" + applied + " duplicates=" + duplicates;
  }

  /** The last counts that a log tells; none if it tells none. */
  public static NodeCounts lastIn(String log) {
    Matcher line = LINE.matcher(log);
    NodeCounts last = NONE;
    while (line.find()) {
      last = new NodeCounts(Long.parseLong(line.group(1)), Long.parseLong(line.group(2)));
    }
    return last;
  }

  public NodeCounts plus(NodeCounts other) {
    return new NodeCounts(applied + other.applied, duplicates + other.duplicates);
  }
}
