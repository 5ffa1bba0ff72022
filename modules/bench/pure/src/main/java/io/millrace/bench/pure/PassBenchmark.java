package io.millrace.bench.pure;

import io.millrace.core.cursor.Cursor;
import io.millrace.core.cursor.Incarnation;
import io.millrace.core.cursor.ReadBounds;
import io.millrace.core.cursor.ReadResult;
import io.millrace.core.cursor.Snapshot;
import io.millrace.core.message.OutboxMessage;
import io.millrace.core.parking.OrderKey;
import io.millrace.core.parking.Sift;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;

/** What a relay decides of what a pass has read. */
public class PassBenchmark extends PerMessage {
  private static final int BLOCKED_OF = 10;

  private final List<OutboxMessage> messages = Samples.pass();

  /** One row more than there are: then the bytes are counted, too. */
  private final ReadBounds bounds = new ReadBounds(PASS + 1, 4_000_000, 100_000);

  private final Cursor cursor = Cursor.of(new Snapshot("700:710:703,707"), 999_999);
  private final ReadResult result =
      new ReadResult(
          new Snapshot("720:731:722,725"),
          1_100_000,
          new Incarnation("bench"),
          cursor.head(),
          1_000_000L + PASS,
          messages);
  private final Set<OrderKey> blocked =
      messages.stream()
          .filter(message -> message.id() % BLOCKED_OF == 0)
          .map(OrderKey::of)
          .collect(Collectors.toUnmodifiableSet());

  /** Where the next pass begins. */
  @Benchmark
  @OperationsPerInvocation(PASS)
  public Cursor advance() {
    return cursor.after(cursor.nextRead(bounds), result, bounds);
  }

  /** Nothing is parked. */
  @Benchmark
  @OperationsPerInvocation(PASS)
  public Sift sift() {
    return Sift.of(messages, Set.of(), Map.of());
  }

  /** A tenth is behind something that is parked. */
  @Benchmark
  @OperationsPerInvocation(PASS)
  public Sift siftBehindParked() {
    return Sift.of(messages, blocked, Map.of());
  }
}
