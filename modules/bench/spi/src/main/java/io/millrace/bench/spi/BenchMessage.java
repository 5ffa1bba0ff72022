package io.millrace.bench.spi;

/** A message to append. */
public final class BenchMessage {
  private final String aggregateId;
  private final byte[] payload;

  BenchMessage(String aggregateId, byte[] payload) {
    this.aggregateId = aggregateId;
    this.payload = payload;
  }

  public String aggregateId() {
    return aggregateId;
  }

  /** Not a copy: not to be changed. */
  public byte[] payload() {
    return payload;
  }
}
