package io.millrace.postgres;

import io.millrace.core.cursor.Incarnation;
import io.millrace.core.cursor.Read;
import io.millrace.core.cursor.ReadBounds;
import io.millrace.core.cursor.ReadResult;
import io.millrace.core.cursor.Scope;
import io.millrace.core.cursor.Snapshot;
import io.millrace.core.message.Header;
import io.millrace.core.message.OutboxMessage;
import io.millrace.core.message.Payload;
import io.millrace.port.OutboxStore;
import io.millrace.port.Position;
import io.millrace.postgres.PgDatabase.Query;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the outbox. What a pass asks for is all in its cursor; passes that are asked for at the
 * same time share a statement.
 */
public final class PgOutboxStore implements OutboxStore {
  /** Weighed by rows: several full batches fill a statement. A backlog is read in parallel. */
  static final Gathering.Limits LIMITS = new Gathering.Limits(16, 4_000, 2, 4);

  /** The row about the pass itself, which has none, comes first. */
  private static final Comparator<Row> BY_ID =
      Comparator.comparing(
          row -> row.getLong("id"), Comparator.nullsFirst(Comparator.naturalOrder()));

  private final PgDatabase database;
  private final Gathering<OnwardPass, List<Row>> passes;

  public PgOutboxStore(PgDatabase database) {
    this.database = database;
    this.passes =
        new Gathering<>(
            database, LIMITS, pass -> pass.bounds().rowsMax(), failure -> true, this::readOnward);
  }

  private Future<List<@Nullable List<Row>>> readOnward(List<OnwardPass> asked) {
    return database
        .runPass(List.of(OnwardPass.query(asked)))
        .map(
            answers -> {
              List<@Nullable List<Row>> dealt = new ArrayList<>();
              asked.forEach(pass -> dealt.add(new ArrayList<>()));
              answers.get(0).forEach(row -> dealt.get(row.getInteger("pass") - 1).add(row));
              dealt.forEach(rows -> rows.sort(BY_ID));
              return dealt;
            });
  }

  @Override
  public Future<Position> position() {
    return database.runForOne(
        Statement.READ_POSITION,
        Tuple.tuple(),
        row ->
            new Position(
                new Snapshot(row.getString("now")), row.getLong("sequence"), incarnationOf(row)));
  }

  @Override
  public Future<List<Integer>> waiting(Map<Integer, Long> heads) {
    List<Integer> shards = List.copyOf(heads.keySet());
    Tuple values = Tuple.tuple();
    values.addArrayOfShort(shards.stream().map(Integer::shortValue).toArray(Short[]::new));
    values.addArrayOfLong(shards.stream().map(heads::get).toArray(Long[]::new));
    return database
        .runPass(List.of(new Query(Statement.READ_WAITING, values)))
        .map(found -> found.get(0).stream().map(row -> row.getInteger("shard")).toList());
  }

  @Override
  public Future<ReadResult> read(int shard, Scope scope, Read read, ReadBounds bounds) {
    Future<List<Row>> rows =
        read instanceof Read.Onward onward
            ? passes.ask(new OnwardPass(shard, scope, onward, bounds))
            : database
                .runPass(List.of(query(shard, scope, read, bounds)))
                .map(all -> sorted(all.get(0)));
    return rows.map(found -> toResult(shard, found));
  }

  @Override
  public Future<List<ReadResult>> readBoth(int shard, List<Asked> both, ReadBounds bounds) {
    return database
        .runPass(both.stream().map(a -> query(shard, a.scope(), a.read(), bounds)).toList())
        .map(found -> found.stream().map(rows -> toResult(shard, sorted(rows))).toList());
  }

  private static List<Row> sorted(RowSet<Row> rows) {
    List<Row> sorted = new ArrayList<>();
    rows.forEach(sorted::add);
    sorted.sort(BY_ID);
    return sorted;
  }

  private static Query query(int shard, Scope scope, Read read, ReadBounds bounds) {
    return read instanceof Read.Chunk chunk
        ? readChunk(shard, scope, chunk, bounds)
        : OnwardPass.query(List.of(new OnwardPass(shard, scope, (Read.Onward) read, bounds)));
  }

  private static Query readChunk(int shard, Scope scope, Read.Chunk read, ReadBounds bounds) {
    Snapshot hiddenFrom = read.hiddenFrom();
    Tuple values = Tuple.tuple();
    values
        .addShort((short) shard)
        .addLong(read.from())
        .addLong(read.to())
        .addString(read.visibleIn().text());
    values.addString(hiddenFrom == null ? null : hiddenFrom.text());
    values.addInteger(bounds.rowsMax()).addLong(bounds.bytesMax());
    values.addString(scope.lane()).addArrayOfString(scope.skipped().toArray(String[]::new));
    return new Query(Statement.READ_CHUNK, values);
  }

  private static ReadResult toResult(int shard, List<Row> rows) {
    List<OutboxMessage> messages = new ArrayList<>(rows.size());
    Row first = rows.get(0);
    for (Row row : rows.subList(1, rows.size())) {
      messages.add(toMessage(shard, row));
    }
    return new ReadResult(
        new Snapshot(first.getString("now")),
        first.getLong("sequence"),
        incarnationOf(first),
        first.getLong("late_to"),
        first.getLong("new_to"),
        messages);
  }

  static Incarnation incarnationOf(Row row) {
    String text = row.getString("incarnation");
    return text == null ? Incarnation.NONE : new Incarnation(text);
  }

  static OutboxMessage toMessage(int shard, Row row) {
    return new OutboxMessage(
        row.getLong("id"),
        row.getUUID("message_id"),
        shard,
        row.getString("aggregate_type"),
        row.getString("aggregate_id"),
        row.getLong("revision"),
        row.getString("topic"),
        row.getString("message_key"),
        row.getString("event_type"),
        row.getString("schema_version"),
        row.getString("content_type"),
        toHeaders(row.getArrayOfStrings("headers")),
        toPayload(row.getBuffer("payload")),
        row.getString("resolver"),
        row.getOffsetDateTime("created_at").toInstant(),
        row.getLong("bytes"));
  }

  private static @Nullable Payload toPayload(@Nullable Buffer bytes) {
    return bytes == null ? null : Payload.of(bytes.getBytes());
  }

  private static List<Header> toHeaders(String @Nullable [] pairs) {
    if (pairs == null) {
      return List.of();
    }
    List<Header> headers = new ArrayList<>(pairs.length / 2);
    for (int i = 0; i + 1 < pairs.length; i += 2) {
      headers.add(new Header(pairs[i], pairs[i + 1]));
    }
    return headers;
  }
}
