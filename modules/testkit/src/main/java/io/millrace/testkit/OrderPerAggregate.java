package io.millrace.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Within a topic, an aggregate's first occurrences come with revisions 1, 2, 3 and so on, none
 * missing.
 */
public final class OrderPerAggregate implements Invariant {
  private record Key(String topic, String aggregate) {}

  @Override
  public List<String> violations(History history) {
    Set<UUID> seen = new HashSet<>();
    Map<Key, Long> last = new HashMap<>();
    List<String> violations = new ArrayList<>();
    for (Delivered message : history.delivered()) {
      if (seen.add(message.messageId())) {
        Key key = new Key(message.topic(), message.aggregate());
        long expected = last.getOrDefault(key, 0L) + 1;
        if (message.revision() != expected) {
          violations.add("expected revision " + expected + ": " + message);
        }
        last.put(key, Math.max(last.getOrDefault(key, 0L), message.revision()));
      }
    }
    return violations;
  }
}
