package io.millrace.port;

import io.vertx.core.Future;

/** The receipts: progress that is appended. */
public interface ReceiptStore {
  /** The newest receipt of a lane. Makes an incarnation marker first if the server has none. */
  Future<LoadedCursor> load(int shard, String lane);

  /**
   * Appends a receipt under the shard's lock. A failure with an unknown outcome is settled by
   * {@link #load}.
   */
  Future<ReceiptOutcome> record(Receipt receipt);

  /**
   * Begins a lane as a copy of the main lane's newest receipt. From then on the main lane skips the
   * topic: its cursor must be loaded again.
   */
  Future<ReceiptOutcome> openLane(LaneOpening opening);
}
