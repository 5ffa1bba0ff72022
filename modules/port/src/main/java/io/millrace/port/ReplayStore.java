package io.millrace.port;

import io.millrace.core.cursor.ReadBounds;
import io.vertx.core.Future;
import java.util.List;
import java.util.Set;

/**
 * Replays: what operators have asked to be published once more. Live cursors know nothing of them.
 */
public interface ReplayStore {
  /** Of each of the shards the oldest replay that it has not done; one cheap look for all. */
  Future<List<ReplayTask>> open(Set<Integer> shards);

  /**
   * What comes next of a shard's part, in id order.
   *
   * @param position ids up to here are done
   */
  Future<ReplayPage> read(int shard, long replay, long position, ReadBounds bounds);

  /** Remembers how far the owner of a shard has come: about once a second. */
  Future<ReceiptOutcome> record(ReplayProgress progress);
}
