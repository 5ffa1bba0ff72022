package io.millrace.core.cursor;

import io.millrace.core.cursor.ModelDatabase.Row;
import io.millrace.core.message.OutboxMessage;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What must hold of one shard after every step, whatever happens. */
final class CursorInvariants {
  private final ModelDatabase database;
  private final int shard;

  /** What the broker has of this shard, and how often. */
  private final Map<Long, Integer> delivered = new HashMap<>();

  private final Map<String, Long> lastRevision = new HashMap<>();

  /** What the reading cursor stands for: everything that was read on the way to it. */
  private Set<Long> accounted = new HashSet<>();

  /** The last id that the newest sweep's target sees: it comes before another sweep. */
  private long sweepEnd;

  CursorInvariants(ModelDatabase database, int shard) {
    this.database = database;
    this.shard = shard;
  }

  /** One of them does not hold. */
  static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Broken(String message) {
      super(message);
    }
  }

  /** The ids that a cursor says have been published: its definition, the sweep included. */
  static Set<Long> covered(ModelDatabase database, int shard, Cursor cursor) {
    Set<Long> ids = new HashSet<>();
    ModelSnapshot seen = ModelSnapshot.of(cursor.seen());
    for (Row row : database.committed(shard)) {
      if (row.id() <= cursor.head() && (seen.sees(row.xid()) || isSwept(row, cursor))) {
        ids.add(row.id());
      }
    }
    return ids;
  }

  private static boolean isSwept(Row row, Cursor cursor) {
    return cursor.sweep() instanceof Sweep.Late late
        && row.id() <= late.position()
        && ModelSnapshot.of(late.target()).sees(row.xid());
  }

  /** A cursor has been loaded: all that it stands for has reached the broker. */
  void onLoaded(Cursor cursor) {
    accounted = covered(database, shard, cursor);
    requireDelivered(accounted, "a receipt stands for messages that were never published");
    sweepEnd = cursor.sweep() == null ? 0 : lastIdSeenBy(target(cursor));
  }

  void onRead(Cursor before, ReadResult result, Cursor after) {
    long last = 0;
    for (OutboxMessage message : result.messages()) {
      require(database.row(message.id()).isPresent(), "uncommitted: id " + message.id());
      require(message.id() > last, "not in id order: id " + message.id());
      require(accounted.add(message.id()), "read twice without a restart: id " + message.id());
      last = message.id();
    }
    require(
        !(after.sweep() instanceof Sweep.Late) || last <= before.head(),
        "id " + last + " above head " + before.head() + " before the late range is done");
    requireCovered(after, accounted);
    requireProgress(before, after);
  }

  private static Snapshot target(Cursor cursor) {
    return cursor.sweep() instanceof Sweep.Late late ? late.target() : cursor.seen();
  }

  private long lastIdSeenBy(Snapshot snapshot) {
    ModelSnapshot seen = ModelSnapshot.of(snapshot);
    return database.committed(shard).stream()
        .filter(row -> seen.sees(row.xid()))
        .mapToLong(Row::id)
        .max()
        .orElse(0);
  }

  /** The relay means to wait until something is committed: it has read all that there is. */
  void onNothingMore(Snapshot now) {
    ModelSnapshot seen = ModelSnapshot.of(now);
    for (Row row : database.committed(shard)) {
      require(
          !seen.sees(row.xid()) || accounted.contains(row.id()),
          "left unread though nothing more was announced: id " + row.id());
    }
  }

  /** The same for a receipt of the first messages of a batch only. */
  void onPrefix(Cursor cursor) {
    requireDelivered(
        covered(database, shard, cursor),
        "the receipt of a prefix stands for what was not published");
  }

  private void requireCovered(Cursor cursor, Set<Long> published) {
    Set<Long> covered = covered(database, shard, cursor);
    if (!covered.equals(published)) {
      Set<Long> lost = new TreeSet<>(covered);
      lost.removeAll(published);
      Set<Long> beyond = new TreeSet<>(published);
      beyond.removeAll(covered);
      throw new Broken(
          "of what is visible in seen up to head, not published: "
              + lost
              + "; published, but not visible there: "
              + beyond
              + "; cursor "
              + cursor);
    }
  }

  /** A sweep moves with every pass and ends, and another one begins only behind its end. */
  private void requireProgress(Cursor before, Cursor after) {
    Sweep from = before.sweep();
    Sweep to = after.sweep();
    if (from instanceof Sweep.Late a && to instanceof Sweep.Late b) {
      require(b.position() > a.position(), "a sweep stands still at " + a);
      require(b.target().equals(a.target()) && b.end() == a.end(), "a sweep's target moved");
      require(after.seen().equals(before.seen()), "seen moved during the late part of a sweep");
    }
    if (from instanceof Sweep.Tail && to != null) {
      require(after.head() > before.head(), "the tail of a sweep stands still at " + before);
      require(to instanceof Sweep.Tail, "a sweep began inside another one");
    }
    if (from == null && to != null) {
      require(before.head() >= sweepEnd, "new rows starve: another sweep begins at " + before);
      sweepEnd = lastIdSeenBy(target(after));
    }
    require(after.head() >= before.head(), "the head went back");
  }

  /** A message reaches the broker. */
  void onDelivered(OutboxMessage message) {
    Row row = database.row(message.id()).orElseThrow(() -> new Broken("uncommitted: " + message));
    if (delivered.merge(message.id(), 1, Integer::sum) > 1) {
      return;
    }
    long expected = lastRevision.getOrDefault(row.aggregate(), 0L) + 1;
    require(
        row.revision() == expected,
        "%s: revision %d came where %d was due, id %d"
            .formatted(row.aggregate(), row.revision(), expected, row.id()));
    lastRevision.put(row.aggregate(), row.revision());
  }

  /** After every step of anybody. */
  void afterStep(Cursor reading) {
    requireCovered(reading, accounted);
    requireDelivered(
        covered(database, shard, database.newestReceipt(shard).cursor()),
        "the newest receipt stands for messages that were never published");
  }

  /** Every transaction has ended and every relay found nothing more to do. */
  void atRest(boolean wasRestarted) {
    Set<Long> all = new HashSet<>();
    database.committed(shard).forEach(row -> all.add(row.id()));
    requireDelivered(all, "committed, but lost");
    require(delivered.size() == all.size(), "published, but not committed");
    require(
        wasRestarted || delivered.values().stream().allMatch(n -> n == 1),
        "published twice without a restart");
  }

  private void requireDelivered(Set<Long> ids, String problem) {
    if (!delivered.keySet().containsAll(ids)) {
      Set<Long> missing = new TreeSet<>(ids);
      missing.removeAll(delivered.keySet());
      throw new Broken("shard " + shard + ": " + problem + ": " + missing);
    }
  }

  private void require(boolean holds, String problem) {
    if (!holds) {
      throw new Broken("shard " + shard + ": " + problem);
    }
  }
}
