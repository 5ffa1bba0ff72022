package io.millrace.core.cursor;

import io.millrace.core.message.OutboxMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * PostgreSQL as far as the cursor rests on it: transaction ids that rise, ids from a sequence that
 * is never rolled back, row locks of aggregates, commits that become visible before the locks go,
 * and receipts.
 */
final class ModelDatabase {
  private static final UUID MESSAGE_ID = new UUID(0x7000L, 0x8000000000000000L);
  private static final String TYPE = "order";

  /** A committed or pending row. Revisions of committed rows of an aggregate are consecutive. */
  record Row(long xid, String aggregate, long revision, OutboxMessage message) {
    long id() {
      return message.id();
    }
  }

  /** A row of millrace.receipt. */
  record Receipt(int shard, long counter, Cursor cursor, long seqBefore, long xid) {}

  /** A transaction of a writer or of a receipt. */
  static final class Transaction {
    private long xid;
    private long drawnId;
    private final List<Row> rows = new ArrayList<>();
    private final Map<String, Long> revisionBefore = new HashMap<>();

    Set<String> locked() {
      return revisionBefore.keySet();
    }
  }

  private final Flaw flaw;
  private long nextXid = 3;
  private long latestCompleted = 2;
  private long sequence;
  private final TreeSet<Long> running = new TreeSet<>();
  private final Map<String, Transaction> locks = new HashMap<>();
  private final Map<String, Long> revisions = new HashMap<>();
  private final Map<Long, Row> committed = new HashMap<>();
  private final Map<Integer, List<Row>> committedByShard = new HashMap<>();
  private final List<Receipt> receipts = new ArrayList<>();

  ModelDatabase(Flaw flaw) {
    this.flaw = flaw;
  }

  Snapshot snapshot() {
    long xmax = latestCompleted + 1;
    Set<Long> inside = new HashSet<>(running.headSet(xmax));
    long xmin = inside.isEmpty() ? xmax : running.first();
    return new ModelSnapshot(xmin, xmax, inside).toSnapshot();
  }

  long sequence() {
    return sequence;
  }

  long xidOf(Transaction transaction) {
    if (transaction.xid == 0) {
      transaction.xid = nextXid++;
      running.add(transaction.xid);
    }
    return transaction.xid;
  }

  /** Takes the aggregate's row lock, if nobody else holds it. */
  boolean lock(Transaction transaction, String aggregate) {
    if (locks.putIfAbsent(aggregate, transaction) == null) {
      transaction.revisionBefore.put(aggregate, revisions.getOrDefault(aggregate, 0L));
    }
    return locks.get(aggregate) == transaction;
  }

  /** An id that no row gets: a failed insert, or a savepoint that was rolled back. */
  void wasteId(Transaction transaction) {
    xidOf(transaction);
    sequence++;
  }

  void insert(Transaction transaction, int shard, String aggregate, long bytes) {
    if (flaw == Flaw.ID_DRAWN_BEFORE_XID && transaction.xid == 0 && transaction.drawnId == 0) {
      transaction.drawnId = ++sequence;
      return;
    }
    xidOf(transaction);
    long id = transaction.drawnId == 0 ? ++sequence : transaction.drawnId;
    transaction.drawnId = 0;
    long revision = revisions.merge(aggregate, 1L, Long::sum);
    transaction.rows.add(
        new Row(transaction.xid, aggregate, revision, message(id, shard, aggregate, bytes)));
  }

  private static OutboxMessage message(long id, int shard, String aggregate, long bytes) {
    return new OutboxMessage(
        id,
        MESSAGE_ID,
        shard,
        TYPE,
        aggregate,
        null,
        "topic",
        null,
        "event",
        null,
        "text/plain",
        List.of(),
        null,
        null,
        Instant.EPOCH,
        bytes);
  }

  /** From now on new snapshots see it; its locks are still held. */
  void commit(Transaction transaction) {
    for (Row row : transaction.rows) {
      committed.put(row.id(), row);
      committedByShard.computeIfAbsent(row.message().shard(), s -> new ArrayList<>()).add(row);
    }
    end(transaction);
  }

  void rollBack(Transaction transaction) {
    transaction.revisionBefore.forEach(revisions::put);
    end(transaction);
    releaseLocks(transaction);
  }

  private void end(Transaction transaction) {
    if (transaction.xid != 0) {
      running.remove(transaction.xid);
      latestCompleted = Math.max(latestCompleted, transaction.xid);
    }
  }

  void releaseLocks(Transaction transaction) {
    locks.values().removeIf(transaction::equals);
  }

  Optional<Row> row(long id) {
    return Optional.ofNullable(committed.get(id));
  }

  /** In the order of their commits. */
  List<Row> committed(int shard) {
    return committedByShard.getOrDefault(shard, List.of());
  }

  void append(Receipt receipt) {
    receipts.add(receipt);
  }

  List<Receipt> receipts() {
    return receipts;
  }

  Receipt newestReceipt(int shard) {
    return receipts.stream()
        .filter(r -> r.shard() == shard && !running.contains(r.xid()))
        .reduce((a, b) -> a.counter() > b.counter() ? a : b)
        .orElseThrow();
  }

  /** Empties the old lists of receipts, after each shard's newest has been carried forward. */
  void rotateReceipts(int shards, long olderThanXid) {
    for (int shard = 0; shard < shards; shard++) {
      Receipt newest = newestReceipt(shard);
      if (newest.xid() < olderThanXid) {
        Transaction carrying = new Transaction();
        append(
            new Receipt(
                shard, newest.counter(), newest.cursor(), newest.seqBefore(), xidOf(carrying)));
        commit(carrying);
      }
    }
    receipts.removeIf(r -> r.xid() < olderThanXid && !running.contains(r.xid()));
  }
}
