package io.millrace.postgres;

import io.millrace.core.cursor.ReadBounds;
import io.millrace.core.message.OutboxMessage;
import io.millrace.port.ReceiptOutcome;
import io.millrace.port.ReplayPage;
import io.millrace.port.ReplayProgress;
import io.millrace.port.ReplayStore;
import io.millrace.port.ReplayTask;
import io.millrace.postgres.PgDatabase.Query;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads what is to be published once more, and remembers how far that is. */
public final class PgReplayStore implements ReplayStore {
  private final PgDatabase database;

  public PgReplayStore(PgDatabase database) {
    this.database = database;
  }

  @Override
  public Future<List<ReplayTask>> open(Set<Integer> shards) {
    Short[] asked = shards.stream().map(Integer::shortValue).toArray(Short[]::new);
    return database
        .run(Statement.READ_OPEN_REPLAYS, Tuple.tuple().addArrayOfShort(asked))
        .map(
            rows -> {
              List<ReplayTask> tasks = new ArrayList<>(rows.size());
              rows.forEach(row -> tasks.add(toTask(row)));
              return tasks;
            });
  }

  private static ReplayTask toTask(Row row) {
    return new ReplayTask(
        row.getInteger("shard"),
        row.getLong("replay_id"),
        row.getLong("position"),
        row.getDouble("rate"),
        PgOutboxStore.incarnationOf(row));
  }

  @Override
  public Future<ReplayPage> read(int shard, long replay, long position, ReadBounds bounds) {
    Tuple values = Tuple.tuple();
    values.addShort((short) shard).addLong(replay).addLong(position);
    values.addInteger(bounds.rowsMax()).addLong(bounds.bytesMax()).addLong(bounds.idsMax());
    return database
        .runPass(List.of(new Query(Statement.READ_REPLAY, values)))
        .map(found -> toPage(shard, found.get(0)));
  }

  private static ReplayPage toPage(int shard, RowSet<Row> rows) {
    Row first = rows.iterator().next();
    List<OutboxMessage> messages = new ArrayList<>(rows.size());
    for (Row row : rows) {
      if (row.getLong("id") != null) {
        messages.add(PgOutboxStore.toMessage(shard, row));
      }
    }
    return new ReplayPage(PgOutboxStore.incarnationOf(first), toTask(first, messages), messages);
  }

  private static ReplayPage.@Nullable Task toTask(Row first, List<OutboxMessage> messages) {
    if (!first.getBoolean("is_running")) {
      return null;
    }
    boolean isCut = first.getBoolean("is_cut");
    long doneUpTo = isCut ? messages.get(messages.size() - 1).id() : first.getLong("to_id");
    return new ReplayPage.Task(
        first.getString("target_topic"),
        first.getDouble("rate"),
        doneUpTo,
        doneUpTo >= first.getLong("end_id"));
  }

  @Override
  public Future<ReceiptOutcome> record(ReplayProgress progress) {
    Tuple values = Tuple.tuple();
    values.addInteger(progress.shard());
    values.addUUID(progress.claim().token()).addLong(progress.claim().epoch());
    values.addString(progress.incarnation().text()).addLong(progress.replay());
    values.addLong(progress.from()).addLong(progress.position());
    values.addInteger(progress.sent()).addInteger(progress.skipped());
    values.addString(withoutNul(progress.notes().skipReason()));
    values.addString(withoutNul(progress.notes().waits()));
    values.addString(withoutNul(progress.notes().failure()));
    return database.runForOne(
        Statement.RECORD_REPLAY, values, row -> PgReceiptStore.toOutcome(row.getString("outcome")));
  }

  private static @Nullable String withoutNul(@Nullable String text) {
    return text == null ? null : PgReceiptStore.withoutNul(text);
  }
}
