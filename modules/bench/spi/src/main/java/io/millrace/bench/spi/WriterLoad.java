package io.millrace.bench.spi;

import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * Writers that begin a transaction when it is due, even if they are late: each message tells when
 * it was due, so that what a stalled peer keeps its writers waiting counts. A writer has aggregates
 * of its own, so that revisions rise in commit order.
 */
final class WriterLoad {
  private final LoadPlan plan;
  private final ExecutorService threads;
  private final List<Future<Long>> writers = new ArrayList<>();

  private WriterLoad(LoadPlan plan) {
    this.plan = plan;
    this.threads = Executors.newFixedThreadPool(plan.writers());
  }

  static WriterLoad start(Peer peer, LoadPlan plan) throws Exception {
    WriterLoad load = new WriterLoad(plan);
    List<Appender> appenders = new ArrayList<>();
    for (int i = 0; i < plan.writers(); i++) {
      appenders.add(peer.appender());
    }
    long begun = System.nanoTime();
    for (int i = 0; i < plan.writers(); i++) {
      int writer = i;
      load.writers.add(load.threads.submit(() -> load.write(appenders.get(writer), writer, begun)));
    }
    load.threads.shutdown();
    return load;
  }

  /** Waits for the end; answers what was committed, and by how much the slowest writer was late. */
  Map<String, String> await() throws Exception {
    long lateNanos = 0;
    for (Future<Long> writer : writers) {
      lateNanos = Math.max(lateNanos, writer.get());
    }
    return Map.of(
        "committed",
        String.valueOf(plan.transactions()),
        "late_ms",
        String.valueOf(lateNanos / 1_000_000));
  }

  private long write(Appender appender, int writer, long begun) throws Exception {
    long late = 0;
    try (appender;
        PreparedStatement change = BusinessTable.prepareChange(appender.connection())) {
      appender.connection().setAutoCommit(false);
      int[] revisions = new int[Payloads.AGGREGATES];
      int aggregate = writer;
      for (long n = writer; n < plan.transactions(); n += plan.writers()) {
        long due = begun + n * 1_000_000_000L / plan.perSecond();
        late = Math.max(late, waitUntil(due));
        int revision = plan.firstRevision() + revisions[aggregate]++;
        commit(appender, change, aggregate, revision, due);
        aggregate += plan.writers();
        aggregate = aggregate < Payloads.AGGREGATES ? aggregate : writer;
      }
    }
    return late;
  }

  private static long waitUntil(long due) {
    long now = System.nanoTime();
    while (now < due) {
      LockSupport.parkNanos(due - now);
      now = System.nanoTime();
    }
    return now - due;
  }

  private void commit(
      Appender appender, PreparedStatement change, int aggregate, int revision, long due)
      throws Exception {
    change.setInt(1, aggregate);
    change.executeUpdate();
    byte[] payload = Payloads.of(aggregate, revision, due, plan.payloadBytes());
    appender.append(List.of(new BenchMessage(Payloads.aggregateId(aggregate), payload)));
    appender.connection().commit();
    appender.committed();
  }
}
