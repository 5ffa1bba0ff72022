package io.millrace.port;

import io.vertx.core.Future;
import java.util.List;

/**
 * Looking at the ring, the shards, the inbox, replays and the space they take. No method loads a
 * table: counts are bounded.
 */
public interface StatusStore {
  Future<Installation> installation();

  Future<List<SlotStatus>> slots();

  Future<List<ShardStatus>> shards();

  Future<InboxStatus> inbox();

  Future<StorageStatus> storage();

  /** The running replays and the newest others, 100 at most, newest first. */
  Future<List<ReplayStatus>> replays();
}
