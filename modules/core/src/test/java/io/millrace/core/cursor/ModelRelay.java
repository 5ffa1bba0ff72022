package io.millrace.core.cursor;

import io.millrace.core.cursor.ModelDatabase.Receipt;
import io.millrace.core.cursor.ModelDatabase.Transaction;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;

/**
 * The relay of one shard: passes run ahead of the receipts, batches reach the broker in order, a
 * receipt moves over a gap-free run, and after any trouble it goes on from the newest receipt.
 */
final class ModelRelay {
  private static final int BATCHES_MAX = 4;

  private static final class Batch {
    private final Cursor before;
    private final Read read;
    private final ReadResult result;
    private final Cursor after;
    private int deliveredCount = -1;

    Batch(Cursor before, Read read, ReadResult result, Cursor after) {
      this.before = before;
      this.read = read;
      this.result = result;
      this.after = after;
    }

    int size() {
      return result.messages().size();
    }
  }

  private final ModelDatabase database;
  private final int shard;
  private final SimSettings settings;
  private final Random random;
  private final ModelRead reads;
  private final CursorInvariants invariants;
  private final Deque<Batch> batches = new ArrayDeque<>();

  private Cursor cursor;
  private Snapshot lastNow;
  private long lastSequence;
  private boolean hasMore;
  private long counter;
  private Transaction recording;
  private Receipt unrecorded;
  private boolean isRefused;
  private boolean wasRestarted;
  private int sweeps;

  ModelRelay(ModelDatabase database, int shard, SimSettings settings, Random random) {
    this.database = database;
    this.shard = shard;
    this.settings = settings;
    this.random = random;
    this.reads = new ModelRead(database, settings.flaw());
    this.invariants = new CursorInvariants(database, shard);
    load();
  }

  private void load() {
    Receipt newest = database.newestReceipt(shard);
    cursor = newest.cursor();
    counter = Math.max(counter, newest.counter());
    lastNow = new Snapshot("1:1:");
    hasMore = true;
    isRefused = false;
    invariants.onLoaded(cursor);
  }

  int sweeps() {
    return sweeps;
  }

  /** One random step of work. */
  void step(Runnable meanwhile) {
    double dice = random.nextDouble();
    if (dice < settings.restartChance()) {
      restart();
    } else if (dice < 0.45) {
      if (batches.size() < BATCHES_MAX && isReadWanted()) {
        read(meanwhile);
      }
    } else if (dice < 0.7) {
      deliver();
    } else {
      advanceReceipt();
    }
  }

  private boolean isReadWanted() {
    return hasMore || !database.snapshot().equals(lastNow);
  }

  private void read(Runnable meanwhile) {
    ReadBounds bounds =
        new ReadBounds(
            random.nextInt(8) == 0 ? 1 : settings.rowsMax(),
            settings.bytesMax(),
            settings.idsMax());
    Cursor before = cursor;
    Read read = before.nextRead(bounds);
    ReadResult result = reads.read(shard, read, bounds, meanwhile);
    cursor = before.after(read, result, bounds);
    lastNow = result.now();
    lastSequence = result.sequence();
    hasMore = cursor.sweep() != null || before.hasMore(result, bounds);
    sweeps += before.sweep() == null && cursor.sweep() != null ? 1 : 0;
    invariants.onRead(before, result, cursor);
    if (!hasMore) {
      invariants.onNothingMore(result.now());
    }
    if (!result.messages().isEmpty()) {
      batches.add(new Batch(before, read, result, cursor));
    }
  }

  /** The next batch reaches the broker, or its first messages do and the next one is refused. */
  private void deliver() {
    if (isRefused) {
      return;
    }
    for (Batch batch : batches) {
      if (batch.deliveredCount < 0) {
        isRefused = random.nextDouble() < settings.refusalChance();
        batch.deliveredCount = isRefused ? random.nextInt(batch.size()) : batch.size();
        batch.result.messages().stream()
            .limit(batch.deliveredCount)
            .forEach(invariants::onDelivered);
        return;
      }
    }
  }

  private void advanceReceipt() {
    if (recording != null) {
      endReceipt(true);
      return;
    }
    Batch last = null;
    while (!batches.isEmpty() && batches.peek().deliveredCount == batches.peek().size()) {
      last = batches.remove();
    }
    if (last != null) {
      beginReceipt(last.after, last.result.sequence());
    } else if (!batches.isEmpty() && batches.peek().deliveredCount >= 0) {
      refuse(batches.peek());
    } else if (batches.isEmpty() && random.nextInt(5) == 0) {
      beginReceipt(cursor, lastSequence);
    }
  }

  private void refuse(Batch batch) {
    if (batch.deliveredCount > 0) {
      long lastId = batch.result.messages().get(batch.deliveredCount - 1).id();
      Cursor prefix = batch.before.afterPrefix(batch.read, batch.result, lastId);
      invariants.onPrefix(prefix);
      beginReceipt(prefix, batch.result.sequence());
      endReceipt(true);
    }
    restart();
  }

  private void beginReceipt(Cursor recorded, long sequence) {
    recording = new Transaction();
    unrecorded = new Receipt(shard, ++counter, recorded, sequence, database.xidOf(recording));
  }

  private void endReceipt(boolean isCommitted) {
    if (isCommitted) {
      boolean isLate = settings.flaw() == Flaw.SEQUENCE_READ_IN_THE_RECEIPT;
      long sequence = isLate ? database.sequence() : unrecorded.seqBefore();
      database.append(
          new Receipt(
              shard, unrecorded.counter(), unrecorded.cursor(), sequence, unrecorded.xid()));
      database.commit(recording);
    } else {
      database.rollBack(recording);
    }
    recording = null;
  }

  /** What the receipt under way became is as open as whether the crash came before or after it. */
  private void restart() {
    if (recording != null) {
      endReceipt(random.nextBoolean());
    }
    wasRestarted = true;
    batches.clear();
    load();
  }

  void check() {
    invariants.afterStep(cursor);
  }

  /** Works on with nothing else going on; the limit is far above what any backlog here needs. */
  void drain(int passesMax) {
    int passes = 0;
    while (isReadWanted() || !batches.isEmpty() || recording != null) {
      if (passes++ > passesMax) {
        throw new CursorInvariants.Broken("no end after " + passesMax + " passes: " + cursor);
      }
      if (isReadWanted() && batches.size() < BATCHES_MAX) {
        read(() -> {});
      }
      deliver();
      if (!batches.isEmpty() || recording != null) {
        advanceReceipt();
      }
      check();
    }
    invariants.atRest(wasRestarted);
  }
}
