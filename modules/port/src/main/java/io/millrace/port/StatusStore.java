package io.millrace.port;

import io.millrace.core.cursor.Snapshot;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looking at the ring, the shards, the inbox, replays and the space they take. No method loads a
 * table: counts are bounded.
 */
public interface StatusStore {
  Future<Installation> installation();

  Future<List<SlotStatus>> slots();

  Future<List<ShardStatus>> shards();

  /**
   * What was published since an earlier look; counts of receipts that took very long to commit may
   * be missing.
   *
   * @param since the earlier look; null: this is the first, and nothing is counted
   */
  Future<Traffic> traffic(@Nullable Snapshot since);

  Future<InboxStatus> inbox();

  Future<StorageStatus> storage();

  Future<PublishingStatus> publishing();

  /** The running replays and the newest others, 100 at most, newest first. */
  Future<List<ReplayStatus>> replays();
}
