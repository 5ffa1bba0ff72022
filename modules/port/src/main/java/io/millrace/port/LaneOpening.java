package io.millrace.port;

import io.millrace.core.cursor.Incarnation;
import io.millrace.core.lease.Claim;
import java.util.List;
import java.util.UUID;

/**
 * A topic of a shard to be quarantined.
 *
 * @param claim checked in the same transaction, under the shard's lock
 * @param incarnation in which the main lane's cursor was loaded
 * @param counter of the lane's first receipt
 * @param reason for people
 * @param overtaken messages of the topic that the broker acknowledged although an earlier one of
 *     their aggregate had failed
 */
public record LaneOpening(
    int shard,
    Claim claim,
    Incarnation incarnation,
    long counter,
    String topic,
    String reason,
    List<UUID> overtaken) {
  public LaneOpening {
    overtaken = List.copyOf(overtaken);
  }
}
