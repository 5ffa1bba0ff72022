package io.millrace.relay;

/**
 * How many bytes of all shards of a node are read but not yet acknowledged. The bound keeps memory
 * independent of the backlog. It is asked before a pass and filled after it, so it can be passed by
 * one batch a shard.
 */
final class BytesInFlight {
  private final long max;
  private long bytes;

  BytesInFlight(long max) {
    this.max = max;
  }

  boolean hasRoom() {
    return bytes < max;
  }

  void add(long more) {
    bytes += more;
  }

  void remove(long less) {
    bytes -= less;
  }

  long bytes() {
    return bytes;
  }
}
