package io.millrace.port;

import org.jspecify.annotations.Nullable;

/**
 * Which parked messages; what is null does not restrict.
 *
 * @param state retrying or dead
 */
public record ParkedFilter(
    @Nullable String topic,
    @Nullable String aggregateType,
    @Nullable String aggregateId,
    @Nullable String state) {
  /** Whether everything passes. */
  public boolean isEmpty() {
    return topic == null && aggregateType == null && aggregateId == null && state == null;
  }
}
