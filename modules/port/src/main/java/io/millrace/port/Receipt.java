package io.millrace.port;

import io.millrace.core.cursor.Cursor;
import io.millrace.core.cursor.Incarnation;
import io.millrace.core.cursor.Scope;
import io.millrace.core.lease.Claim;
import io.millrace.core.parking.Parking;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A published batch to be recorded; the row is the lane's cursor from then on.
 *
 * @param lane "" for the main lane, else the quarantined topic
 * @param claim checked in the same transaction, under the shard's lock
 * @param incarnation in which the cursor was loaded
 * @param counter one per shard, rising
 * @param sequence the outbox sequence's value that the pass read
 * @param messageCount how many messages the batch had; 0 for an idle receipt
 * @param firstId the lowest id of the batch, or null
 * @param lastId the highest id of the batch, or null
 * @param parked messages of the batch that are held back instead of published
 * @param endedLane the lane that this receipt of the main lane merges, or null
 * @param laneVersion of the lanes that were loaded with the cursor
 */
public record Receipt(
    int shard,
    String lane,
    Claim claim,
    Incarnation incarnation,
    long counter,
    Cursor cursor,
    long sequence,
    int messageCount,
    @Nullable Long firstId,
    @Nullable Long lastId,
    List<Parking> parked,
    @Nullable String endedLane,
    long laneVersion) {

  public static final String MAIN_LANE = Scope.MAIN;

  public Receipt {
    parked = List.copyOf(parked);
  }
}
