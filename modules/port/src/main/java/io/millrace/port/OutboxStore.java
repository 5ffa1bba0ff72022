package io.millrace.port;

import io.millrace.core.cursor.Read;
import io.millrace.core.cursor.ReadBounds;
import io.millrace.core.cursor.ReadResult;
import io.vertx.core.Future;

/** Reading the outbox, on the primary. */
public interface OutboxStore {
  /** One cheap statement for all shards of a node: is there anything to read? */
  Future<Position> position();

  /** One pass of a shard: one statement in a REPEATABLE READ read-only transaction of its own. */
  Future<ReadResult> read(int shard, Read read, ReadBounds bounds);
}
