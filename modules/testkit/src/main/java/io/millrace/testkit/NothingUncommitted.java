package io.millrace.testkit;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Nothing has been delivered whose transaction did not commit. */
public final class NothingUncommitted implements Invariant {
  @Override
  public List<String> violations(History history) {
    Set<UUID> committed = new HashSet<>();
    history.committed().forEach(message -> committed.add(message.messageId()));
    return history.delivered().stream()
        .filter(message -> !committed.contains(message.messageId()))
        .map(message -> "never committed: " + message)
        .toList();
  }
}
