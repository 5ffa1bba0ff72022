package io.millrace.core.cursor;

import java.util.List;

/**
 * Which of a shard's messages a lane reads.
 *
 * @param lane {@link #MAIN}, or the one topic that is read
 * @param skipped topics that the main lane leaves to lanes of their own; empty for another lane
 */
public record Scope(String lane, List<String> skipped) {
  public static final String MAIN = "";

  /** Everything: a shard without lanes. */
  public static final Scope ALL = main(List.of());

  public Scope {
    skipped = List.copyOf(skipped);
  }

  public static Scope main(Iterable<String> lanes) {
    java.util.ArrayList<String> topics = new java.util.ArrayList<>();
    lanes.forEach(topics::add);
    return new Scope(MAIN, topics);
  }

  public static Scope lane(String topic) {
    return new Scope(topic, List.of());
  }
}
