package io.millrace.port;

import io.vertx.core.Future;
import java.util.List;

/** Looking at the ring, the shards and the inbox. No method loads a table: counts are bounded. */
public interface StatusStore {
  Future<Installation> installation();

  Future<List<SlotStatus>> slots();

  Future<List<ShardStatus>> shards();

  Future<InboxStatus> inbox();
}
