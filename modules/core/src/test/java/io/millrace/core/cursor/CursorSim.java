package io.millrace.core.cursor;

import io.millrace.core.cursor.ModelDatabase.Receipt;
import io.millrace.core.cursor.ModelDatabase.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Writers, relays and rotation on one model database, in an order that a seed decides. */
final class CursorSim {
  private static final int SHARDS = 3;
  private static final int AGGREGATES = 9;
  private static final int TRANSACTIONS_MAX = 8;
  private static final int DRAIN_PASSES_MAX = 20_000;

  private static final class Writer {
    private final Transaction transaction = new Transaction();
    private final boolean stalls;
    private boolean isVisible;
    private boolean isEnding;

    Writer(boolean stalls) {
      this.stalls = stalls;
    }
  }

  private final SimSettings settings;
  private final Random random;
  private final ModelDatabase database;
  private final ModelRelay[] relays = new ModelRelay[SHARDS];
  private final List<Writer> writers = new ArrayList<>();

  CursorSim(long seed, SimSettings settings) {
    this.settings = settings;
    this.random = new Random(seed);
    this.database = new ModelDatabase(settings.flaw());
    Transaction laying = new Transaction();
    for (int shard = 0; shard < SHARDS; shard++) {
      Cursor nothing = Cursor.of(database.snapshot(), 0);
      database.append(new Receipt(shard, 0, nothing, 0, database.xidOf(laying)));
    }
    database.commit(laying);
    for (int shard = 0; shard < SHARDS; shard++) {
      relays[shard] = new ModelRelay(database, shard, settings, random);
    }
  }

  /**
   * @return how many sweeps there were
   * @throws CursorInvariants.Broken when an invariant does not hold
   */
  int run() {
    for (int step = 0; step < settings.steps(); step++) {
      double dice = random.nextDouble();
      if (dice < 0.5) {
        writerStep();
      } else if (dice < 0.995) {
        relays[random.nextInt(SHARDS)].step(this::someWriterSteps);
      } else {
        rotate();
      }
      for (ModelRelay relay : relays) {
        relay.check();
      }
    }
    writers.forEach(this::finish);
    int sweeps = 0;
    for (ModelRelay relay : relays) {
      relay.drain(DRAIN_PASSES_MAX);
      sweeps += relay.sweeps();
    }
    return sweeps;
  }

  private void finish(Writer writer) {
    if (!writer.isVisible) {
      database.commit(writer.transaction);
    }
  }

  private void rotate() {
    List<Receipt> all = database.receipts();
    database.rotateReceipts(SHARDS, all.get(random.nextInt(all.size())).xid());
  }

  private void someWriterSteps() {
    for (int steps = random.nextInt(4); steps > 0; steps--) {
      writerStep();
    }
  }

  private void writerStep() {
    if (writers.size() < TRANSACTIONS_MAX && random.nextInt(4) == 0) {
      writers.add(new Writer(random.nextInt(6) == 0));
      return;
    }
    if (writers.isEmpty()) {
      return;
    }
    Writer writer = writers.get(random.nextInt(writers.size()));
    if (writer.isEnding) {
      end(writer);
    } else if (!writer.stalls || random.nextInt(25) == 0) {
      act(writer);
    }
  }

  /** The second half of a commit: visible first, then without locks; the other way with a flaw. */
  private void end(Writer writer) {
    if (writer.isVisible) {
      database.releaseLocks(writer.transaction);
    } else {
      database.commit(writer.transaction);
    }
    writers.remove(writer);
  }

  private void act(Writer writer) {
    int dice = random.nextInt(100);
    if (dice < 12) {
      database.xidOf(writer.transaction);
    } else if (dice < 62) {
      insert(writer, 1);
    } else if (dice < 66) {
      insert(writer, 2 + random.nextInt(25));
    } else if (dice < 70) {
      database.wasteId(writer.transaction);
    } else if (dice < 75) {
      database.rollBack(writer.transaction);
      writers.remove(writer);
    } else if (dice < 97) {
      commit(writer);
    }
  }

  private void insert(Writer writer, int rows) {
    int aggregate = random.nextInt(AGGREGATES);
    String name = "aggregate-" + aggregate;
    if (database.lock(writer.transaction, name)) {
      for (int row = 0; row < rows; row++) {
        database.insert(writer.transaction, aggregate % SHARDS, name, 1 + random.nextInt(60));
      }
    }
  }

  private void commit(Writer writer) {
    writer.isEnding = true;
    if (settings.flaw() == Flaw.LOCK_RELEASED_BEFORE_VISIBLE) {
      database.releaseLocks(writer.transaction);
    } else {
      database.commit(writer.transaction);
      writer.isVisible = true;
    }
  }
}
