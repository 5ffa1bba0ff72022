package io.millrace.core.cursor;

import io.millrace.core.cursor.ModelDatabase.Receipt;
import io.millrace.core.cursor.ModelDatabase.Row;
import io.millrace.core.message.OutboxMessage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** The two statements of a pass, read_onward and read_chunk, on the model. */
final class ModelRead {
  private static final Incarnation LIFE = new Incarnation("life");
  private static final int RECEIPTS_LOOKED_AT = 16;

  private final ModelDatabase database;
  private final Flaw flaw;

  ModelRead(ModelDatabase database, Flaw flaw) {
    this.database = database;
    this.flaw = flaw;
  }

  /**
   * @param meanwhile what happens in the database between the snapshot and everything that a
   *     statement reads besides it
   */
  ReadResult read(int shard, Read read, ReadBounds bounds, Runnable meanwhile) {
    Snapshot now = database.snapshot();
    meanwhile.run();
    return read instanceof Read.Chunk chunk
        ? chunk(shard, chunk, bounds, now)
        : onward(shard, (Read.Onward) read, bounds, now);
  }

  private ReadResult chunk(int shard, Read.Chunk read, ReadBounds bounds, Snapshot now) {
    ModelSnapshot target = ModelSnapshot.of(read.visibleIn());
    Snapshot hiddenFrom = flaw == Flaw.SWEEP_FILTER_DROPPED ? null : read.hiddenFrom();
    Predicate<Row> isHidden =
        hiddenFrom == null ? row -> true : row -> !ModelSnapshot.of(hiddenFrom).sees(row.xid());
    Stream<Row> rows =
        range(shard, read.from(), read.to(), now)
            .filter(r -> target.sees(r.xid()))
            .filter(isHidden);
    return result(now, read.to(), read.to(), cut(rows, bounds));
  }

  private ReadResult onward(int shard, Read.Onward read, ReadBounds bounds, Snapshot now) {
    ModelSnapshot seen = ModelSnapshot.of(read.seen());
    long head = read.head();
    long from = Math.min(head, lateFrom(shard, seen, head, now));
    boolean isLateWhole =
        from + bounds.idsMax() >= head || flaw == Flaw.NEW_ROWS_OVERTAKE_LATE_ONES;
    long lateTo = Math.min(head, from + bounds.idsMax());
    long newTo =
        isLateWhole ? Math.max(head, Math.min(head + bounds.idsMax(), database.sequence())) : head;
    Stream<Row> late =
        range(shard, from, lateTo, now)
            .filter(r -> !seen.sees(r.xid()) && flaw != Flaw.LATE_ROWS_SKIPPED);
    return result(
        now, lateTo, newTo, cut(Stream.concat(late, range(shard, head, newTo, now)), bounds));
  }

  /** Late rows are above this. */
  private long lateFrom(int shard, ModelSnapshot seen, long head, Snapshot nowText) {
    ModelSnapshot now = ModelSnapshot.of(nowText);
    LongStream finished = seen.running().stream().mapToLong(Long::longValue).filter(now::sees);
    if (now.xmax() > seen.xmax()) {
      finished = LongStream.concat(finished, LongStream.of(seen.xmax()));
    }
    OptionalLong first = finished.min();
    if (first.isEmpty()) {
      return head;
    }
    if (flaw == Flaw.LATE_FLOOR_TOO_HIGH) {
      return Math.max(0, head - 4);
    }
    OptionalLong before =
        database.receipts().stream()
            .filter(r -> now.sees(r.xid()) && r.xid() < first.getAsLong())
            .sorted(Comparator.comparingLong(Receipt::xid).reversed())
            .limit(RECEIPTS_LOOKED_AT)
            .mapToLong(Receipt::seqBefore)
            .max();
    return before.isPresent()
        ? before.getAsLong()
        : range(shard, 0, Long.MAX_VALUE, nowText).mapToLong(r -> r.id() - 1).min().orElse(head);
  }

  private Stream<Row> range(int shard, long above, long upTo, Snapshot now) {
    ModelSnapshot visibleIn = ModelSnapshot.of(now);
    return database.committed(shard).stream()
        .filter(r -> r.id() > above && r.id() <= upTo)
        .filter(r -> visibleIn.sees(r.xid()));
  }

  /** Rows in id order up to the bounds; the row that crosses the byte bound is still read. */
  private static List<OutboxMessage> cut(Stream<Row> rows, ReadBounds bounds) {
    List<OutboxMessage> taken = new ArrayList<>();
    long bytes = 0;
    for (Row row : rows.sorted(Comparator.comparingLong(Row::id)).toList()) {
      if (taken.size() == bounds.rowsMax() || bytes >= bounds.bytesMax()) {
        break;
      }
      taken.add(row.message());
      bytes += row.message().bytes();
    }
    return taken;
  }

  private ReadResult result(Snapshot now, long lateTo, long newTo, List<OutboxMessage> messages) {
    return new ReadResult(now, database.sequence(), LIFE, lateTo, newTo, messages);
  }
}
