package io.millrace.port;

import io.vertx.core.Future;
import java.util.function.BooleanSupplier;

/** Publishes to the broker, idempotently and with acknowledgement by all in-sync replicas. */
public interface Publisher {
  /**
   * A stream of batches whose order is kept. One a shard and claim.
   *
   * @param mayHandOver asked before anything is handed to the producer, on the calling context;
   *     false: the owner's lease is over
   */
  PublishStream open(BooleanSupplier mayHandOver);

  /**
   * Drops everything that is not settled and starts with a fresh producer. Every stream breaks;
   * what was in flight may or may not have arrived.
   */
  Future<Void> discard();

  Future<Void> close();
}
