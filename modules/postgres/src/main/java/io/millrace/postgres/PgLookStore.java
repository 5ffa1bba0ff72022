package io.millrace.postgres;

import io.millrace.port.LookStore;
import io.millrace.port.MessageTrace;
import io.millrace.port.NodeStatus;
import io.millrace.port.ParkedContent;
import io.millrace.port.ParkedFilter;
import io.millrace.port.ParkedPage;
import io.millrace.port.ReplayStatus;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Looks for single messages, nodes and replays. */
public final class PgLookStore implements LookStore {
  /** Messages that are looked at for one: about a second's work. */
  static final int MESSAGES_LOOKED_AT_MAX = 500_000;

  private final PgDatabase database;

  public PgLookStore(PgDatabase database) {
    this.database = database;
  }

  @Override
  public Future<ParkedPage> parked(ParkedFilter filter, long after, int limit) {
    Tuple values = Tuple.tuple().addLong(after).addInteger(limit).addString(filter.topic());
    values.addString(filter.aggregateType()).addString(filter.aggregateId());
    values.addString(filter.state());
    return database.run(Statement.READ_PARKED_PAGE, values).map(LookRows::toPage);
  }

  @Override
  public Future<Optional<ParkedContent>> parked(long id, int payloadBytesMax) {
    return each(Statement.READ_PARKED_MESSAGE, Tuple.of(id, payloadBytesMax), LookRows::toContent)
        .map(found -> found.stream().findFirst());
  }

  @Override
  public Future<MessageTrace> find(UUID messageId, long withinMs) {
    return database.runForOne(
        Statement.FIND_MESSAGE,
        Tuple.of(messageId, withinMs, MESSAGES_LOOKED_AT_MAX),
        LookRows::toTrace);
  }

  @Override
  public Future<List<NodeStatus>> nodes(int limit) {
    return each(Statement.READ_NODES, Tuple.of(limit), LookRows::toNode);
  }

  @Override
  public Future<List<ReplayStatus>> replays(@Nullable Long below, int limit) {
    Tuple values = Tuple.tuple().addLong(below).addInteger(limit);
    return each(Statement.READ_REPLAY_PAGE, values, ReplayRows::toStatus);
  }

  private <T> Future<List<T>> each(Statement statement, Tuple values, Function<Row, T> mapping) {
    return database
        .run(statement, values)
        .map(
            rows -> {
              List<T> all = new ArrayList<>(rows.size());
              rows.forEach(row -> all.add(mapping.apply(row)));
              return all;
            });
  }
}
