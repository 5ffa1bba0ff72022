package io.millrace.port;

import io.millrace.core.cursor.Incarnation;
import io.millrace.core.lease.Claim;
import java.util.List;

/**
 * What became of parked messages that were tried again.
 *
 * @param claim checked in the same transaction, under the shard's lock
 * @param incarnation in which they were read
 * @param published positions of what the broker has acknowledged
 * @param refused refused for good once more: they wait for an operator
 * @param waiting those that could not be tried: their keys are due again after the delay
 * @param delayMs that delay, in milliseconds
 */
public record Redriven(
    int shard,
    Claim claim,
    Incarnation incarnation,
    List<Long> published,
    List<Refused> refused,
    List<Long> waiting,
    long delayMs) {
  public Redriven {
    published = List.copyOf(published);
    refused = List.copyOf(refused);
    waiting = List.copyOf(waiting);
  }

  /** A message and why it was refused. */
  public record Refused(long id, String reason) {}
}
