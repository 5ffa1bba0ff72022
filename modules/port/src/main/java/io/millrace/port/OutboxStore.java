package io.millrace.port;

import io.millrace.core.cursor.Read;
import io.millrace.core.cursor.ReadBounds;
import io.millrace.core.cursor.ReadResult;
import io.millrace.core.cursor.Scope;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;

/** Reading the outbox, on the primary. */
public interface OutboxStore {
  /** One cheap statement for all shards of a node: is there anything to read? */
  Future<Position> position();

  /**
   * Which shards have a message beyond their head: a hint, in one statement for all shards of a
   * node. A message that commits late, below the head, is not told of.
   *
   * @param heads by shard
   */
  Future<List<Integer>> waiting(Map<Integer, Long> heads);

  /**
   * One pass of a shard: by one statement in a REPEATABLE READ read-only transaction. Passes that
   * are asked for at the same time may share both.
   */
  Future<ReadResult> read(int shard, Scope scope, Read read, ReadBounds bounds);

  /**
   * Two passes of a shard in one snapshot.
   *
   * @return the two answers, in order; their snapshots are equal
   */
  Future<List<ReadResult>> readBoth(int shard, List<Asked> both, ReadBounds bounds);

  /** One of two passes. */
  record Asked(Scope scope, Read read) {}
}
