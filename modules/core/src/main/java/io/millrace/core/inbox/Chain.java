package io.millrace.core.inbox;

import java.util.UUID;

/**
 * A consumer's way through one topic partition. The topic's id, not its name, is what counts: a
 * topic that was made anew begins a new chain.
 */
public record Chain(String consumer, String topic, UUID topicId, int topicPartition) {
  @Override
  public String toString() {
    return consumer + " on " + topic + "-" + topicPartition;
  }
}
