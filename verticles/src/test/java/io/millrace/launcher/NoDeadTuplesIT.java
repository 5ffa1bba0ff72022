package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.client.InboxConsumer;
import io.millrace.client.InboxContext;
import io.millrace.client.InboxMessage;
import io.millrace.devstack.DevStack;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Outbox and inbox under load beside a REPEATABLE READ transaction that stays open: no table that
 * is written at the rate of messages has a row that was updated, deleted or is dead.
 */
class NoDeadTuplesIT {
  private static final String TOPIC = "undying";
  private static final int ROUNDS = 30;
  private static final int MESSAGES_A_ROUND = 200;

  /** Parents of everything that is appended to for each message or batch. */
  private static final List<String> PARENTS =
      List.of("outbox", "receipt", "inbox", "effect", "progress");

  private static final DevStack stack = SharedStack.get();

  @BeforeAll
  static void startServers() {
    stack.kafka().createTopic(TOPIC, 4, Map.of());
  }

  @Test
  void nothing_that_is_written_for_each_message_leaves_a_dead_row_while_a_snapshot_is_held()
      throws Exception {
    try (Stand stand = new Stand(stack);
        Connection holder = stand.connect()) {
      stand.sql("create table applied (message_id uuid)");
      stand.start(
          Map.of(
              "maintenance.interval_ms", 50,
              "maintenance.slot_age_max_ms", 500,
              "maintenance.receipt_age_max_ms", 500,
              "maintenance.retention_ms", 0,
              "maintenance.slots_max", 8,
              "inbox.retention_check", "warn"),
          builder ->
              builder.withConsumer(
                  InboxConsumer.of("counting", List.of(TOPIC), NoDeadTuplesIT::apply)));
      holder.setAutoCommit(false);
      Stand.sql(holder, "set transaction isolation level repeatable read", "select 1");

      for (int round = 1; round <= ROUNDS || emptied(stand) < Stand.SLOTS; round++) {
        stand.sql(
            "select count(*) from generate_series(1, %d) n, millrace.append('%s', 'order', 'o' || n, 'changed', null::bytea)"
                .formatted(MESSAGES_A_ROUND, TOPIC));
        long expected = (long) round * MESSAGES_A_ROUND;
        await("applied")
            .atMost(Stand.LIMIT)
            .until(() -> stand.number("select count(*) from applied") == expected);
      }

      requireNoDeadRows(stand);
      holder.rollback();
    }
  }

  private static Future<Void> apply(InboxMessage message, InboxContext context) {
    return context
        .connection()
        .preparedQuery("insert into applied values ($1)")
        .execute(Tuple.of(message.messageId()))
        .mapEmpty();
  }

  /** Slots that have been through a whole turn of the ring. */
  private static long emptied(Stand stand) throws SQLException {
    return stand.number("select count(*) from millrace.slot where truncated_at is not null");
  }

  /** Counts are reported by each session within a second or so, and never go down. */
  private static void requireNoDeadRows(Stand stand) {
    long messages = (long) ROUNDS * MESSAGES_A_ROUND;
    await("the statistics have all inserts")
        .atMost(Stand.LIMIT)
        .until(
            () -> {
              Map<String, long[]> tables = statistics(stand);
              return inserts(tables, "outbox_") >= messages
                  && inserts(tables, "inbox_") >= messages
                  && inserts(tables, "receipt_") > 0
                  && inserts(tables, "progress_") > 0;
            });
    assertThat(statistics(stand))
        .isNotEmpty()
        .allSatisfy(
            (table, counts) ->
                assertThat(counts)
                    .as("updated, deleted and dead rows of " + table)
                    .endsWith(0, 0, 0));
  }

  private static long inserts(Map<String, long[]> tables, String prefix) {
    return tables.entrySet().stream()
        .filter(e -> e.getKey().startsWith(prefix))
        .mapToLong(e -> e.getValue()[0])
        .sum();
  }

  /** Inserted, updated, deleted and dead rows by table. */
  private static Map<String, long[]> statistics(Stand stand) {
    String parents = String.join("', '", PARENTS);
    Map<String, long[]> tables = new TreeMap<>();
    try (Connection connection = stand.connect();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select s.relname, s.n_tup_ins, s.n_tup_upd, s.n_tup_del, s.n_dead_tup"
                    + " from pg_stat_all_tables s join pg_inherits i on i.inhrelid = s.relid"
                    + " join pg_class p on p.oid = i.inhparent"
                    + " where s.schemaname = 'millrace' and p.relname in ('"
                    + parents
                    + "')")) {
      while (rows.next()) {
        tables.put(
            rows.getString(1),
            new long[] {rows.getLong(2), rows.getLong(3), rows.getLong(4), rows.getLong(5)});
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return tables;
  }
}
