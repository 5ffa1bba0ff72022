package io.millrace.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Nothing has been delivered twice: holds only where nothing crashed. */
public final class NoDuplicates implements Invariant {
  @Override
  public List<String> violations(History history) {
    Map<UUID, Delivered> first = new HashMap<>();
    List<String> violations = new ArrayList<>();
    for (Delivered message : history.delivered()) {
      Delivered earlier = first.putIfAbsent(message.messageId(), message);
      if (earlier != null) {
        violations.add("again: " + message + ", first at " + earlier.place());
      }
    }
    return violations;
  }
}
