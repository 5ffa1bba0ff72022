package io.millrace.testkit;

import java.util.List;

/** Every committed message has been delivered. */
public final class NothingLost implements Invariant {
  @Override
  public List<String> violations(History history) {
    return history.committed().stream()
        .filter(message -> !history.hasDelivered(message.messageId()))
        .map(message -> "lost: " + message)
        .toList();
  }
}
