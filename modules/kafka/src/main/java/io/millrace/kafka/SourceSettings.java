package io.millrace.kafka;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What to read, and as whom.
 *
 * @param bootstrapServers host:port, separated by commas
 * @param properties further properties of the Kafka consumer, by name; those that the inbox rests
 *     on cannot be changed
 * @param groupId the consumer group: its members share the topic partitions
 * @param topics at least one, each once; one that is not there yet is waited for
 * @param revokeWaitMsMax how long a topic partition is kept from its next owner for what still
 *     runs, in milliseconds, at least 1, below {@code max.poll.interval.ms}; whatever runs on after
 *     it runs beside the next owner
 */
public record SourceSettings(
    String bootstrapServers,
    Map<String, String> properties,
    String groupId,
    List<String> topics,
    long revokeWaitMsMax) {

  /**
   * Checks what is needed of every setting.
   *
   * @throws IllegalArgumentException naming what is wrong
   */
  public SourceSettings {
    properties = Map.copyOf(properties);
    topics = List.copyOf(topics);
    require(!bootstrapServers.isBlank(), "bootstrapServers must not be blank");
    require(!groupId.isBlank(), "groupId must not be blank");
    require(!topics.isEmpty(), "topics must not be empty");
    require(topics.stream().noneMatch(String::isBlank), "topics must not be blank: " + topics);
    require(Set.copyOf(topics).size() == topics.size(), "a topic is named twice: " + topics);
    require(revokeWaitMsMax >= 1, "revokeWaitMsMax must be at least 1, found " + revokeWaitMsMax);
  }

  private static void require(boolean holds, String problem) {
    if (!holds) {
      throw new IllegalArgumentException(problem);
    }
  }

  /** Shows the names of the properties only: their values may be passwords. */
  @Override
  public String toString() {
    return "SourceSettings[bootstrapServers=%s, properties=%s, groupId=%s, topics=%s, %s]"
        .formatted(
            bootstrapServers,
            new TreeSet<>(properties.keySet()),
            groupId,
            topics,
            "revokeWaitMsMax=" + revokeWaitMsMax);
  }
}
