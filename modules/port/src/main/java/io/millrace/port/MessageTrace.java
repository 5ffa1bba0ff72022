package io.millrace.port;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Where a message is.
 *
 * @param place null: it was not found
 * @param messagesLookedAt for it
 * @param isComplete whether these were all that were appended at about its time; then a message
 *     that was not found is gone, or never was there
 */
public record MessageTrace(@Nullable Place place, long messagesLookedAt, boolean isComplete) {
  /**
   * Of a message that was found.
   *
   * @param state waiting, published, parked or discarded
   * @param slot null: parked, and out of the ring
   * @param receipt what passed it; null: nothing has, or it is gone
   */
  public record Place(
      String state,
      long id,
      int shard,
      @Nullable Integer slot,
      String topic,
      String aggregateType,
      String aggregateId,
      Instant createdAt,
      @Nullable Receipt receipt) {}

  /**
   * The record of the batch that it was published with.
   *
   * @param lane the quarantined topic whose cursor it is; empty: the main lane's
   */
  public record Receipt(String lane, long epoch, long counter, Instant publishedAt) {}
}
