package io.millrace.relay;

import io.millrace.core.config.RelayConfig;
import io.vertx.core.Vertx;
import java.util.function.BooleanSupplier;

/**
 * What all shards of a node share.
 *
 * @param isLeaseValid whether this node may still act as an owner, by its own clock
 */
record ShardContext(
    Vertx vertx,
    RelayPorts ports,
    RelayConfig config,
    Shared shared,
    BooleanSupplier isLeaseValid) {

  /** Counted over all shards. */
  record Shared(
      BytesInFlight bytes, RelayMetrics metrics, Screening screening, PublishedNotices notices) {}

  static long nowMs() {
    return System.nanoTime() / 1_000_000;
  }
}
