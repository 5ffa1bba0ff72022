package io.millrace.postgres;

import io.millrace.port.ActRefused;
import io.millrace.port.ActRefused.Why;
import io.millrace.port.OperatorStore;
import io.millrace.port.ReplayOrder;
import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Does what an operator asks for, as far as the login role is a member of millrace_operator. */
public final class PgOperatorStore implements OperatorStore {
  private static final String NOT_GRANTED = "42501";
  private static final String TOO_MANY = "53400";
  private static final String INVALID = "22023";
  private static final String NOTHING_KEPT = "P0002";

  private final PgDatabase database;

  public PgOperatorStore(PgDatabase database) {
    this.database = database;
  }

  @Override
  public Future<Long> redrive(Act act, List<UUID> messageIds) {
    return act(Statement.REDRIVE, ids(act, messageIds), row -> row.getLong("concerned"));
  }

  @Override
  public Future<Long> discard(Act act, List<UUID> messageIds) {
    return act(Statement.DISCARD, ids(act, messageIds), row -> row.getLong("concerned"));
  }

  private static Tuple ids(Act act, List<UUID> messageIds) {
    return by(act).addArrayOfUUID(messageIds.toArray(UUID[]::new));
  }

  @Override
  public Future<Boolean> pause(Act act, int shard) {
    return change(Statement.PAUSE_SHARD, Tuple.of(shard, act.actor(), act.reason()));
  }

  @Override
  public Future<Boolean> resume(Act act, int shard) {
    return change(Statement.RESUME_SHARD, Tuple.of(shard, act.actor(), act.reason()));
  }

  @Override
  public Future<Long> startReplay(Act act, ReplayOrder order) {
    Tuple values =
        by(act).addOffsetDateTime(utc(order.fromAt())).addOffsetDateTime(utc(order.toAt()));
    values.addString(order.topic()).addString(order.aggregateType());
    values.addString(order.aggregateId()).addString(order.targetTopic()).addInteger(order.rate());
    return act(Statement.START_REPLAY, values, row -> row.getLong("replay_id"));
  }

  @Override
  public Future<Boolean> cancelReplay(Act act, long replay) {
    return change(Statement.CANCEL_REPLAY, Tuple.of(replay, act.actor(), act.reason()));
  }

  @Override
  public Future<Boolean> turnRing(Act act) {
    return change(Statement.TURN_RING, by(act));
  }

  private Future<Boolean> change(Statement statement, Tuple values) {
    return act(statement, values, row -> row.getBoolean("is_changed"));
  }

  private <T> Future<T> act(Statement statement, Tuple values, Function<Row, T> mapping) {
    return database
        .runForOne(statement, values, mapping)
        .recover(cause -> Future.failedFuture(refused(cause)));
  }

  private static Tuple by(Act act) {
    return Tuple.of(act.actor(), act.reason());
  }

  private static @Nullable OffsetDateTime utc(@Nullable Instant at) {
    return at == null ? null : at.atOffset(ZoneOffset.UTC);
  }

  /** What the functions refuse by themselves, in their own words; anything else stays as it is. */
  private static Throwable refused(Throwable cause) {
    if (!(cause.getCause() instanceof PgException said) || said.getSqlState() == null) {
      return cause;
    }
    return switch (said.getSqlState()) {
      case INVALID, NOTHING_KEPT -> new ActRefused(Why.INVALID, said.getErrorMessage(), cause);
      case TOO_MANY -> new ActRefused(Why.TOO_MANY, said.getErrorMessage(), cause);
      case NOT_GRANTED ->
          new ActRefused(
              Why.NOT_GRANTED,
              "the login role of the node is no member of millrace_operator",
              cause);
      default -> cause;
    };
  }
}
