package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The work of a consumer's own statements, in pages. A session plans them when the tables are
 * empty, and keeps the plan; then the tables grow. A sequential scan or a sort then touches every
 * page of them.
 */
class InboxPlanIT {
  private static final int ROWS = 60_000;

  /** A few descents of each list's index; a list of so many rows has more than 500 pages. */
  private static final long PAGES_MAX = 100;

  private static final List<String> MODES = List.of("force_generic_plan", "force_custom_plan");
  private static final String TOPIC = Inbox.TOPIC_ID.toString();

  private static final Map<String, String> CALLS =
      Map.of(
          "advance",
          "select millrace.inbox_advance('billing', '%s', 0, 0, 1, (select max(to_offset) from "
              + "millrace.chain_positions('billing', '%1$s', 0)), 5000000, 1)",
          "load",
          "select * from millrace.chain_positions('billing', '%s', 0)",
          "claim",
          "select * from millrace.inbox_claim('billing', '{00000000-0000-7000-8000-000000000001}',"
              + " array[(extract(epoch from now()) * 1000)::bigint], '{orders}', '{k}', true)",
          "begin an effect",
          "select * from millrace.effect_begin('billing', '00000000-0000-7000-8000-000000000001',"
              + " (extract(epoch from now()) * 1000)::bigint, 'pay')");

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private Connection consumer;

  @BeforeEach
  void begin() throws SQLException {
    consumer = pg.connect(PgFixture.CONSUMER);
    PgFixture.execute(
        consumer,
        "select millrace.inbox_restart('billing', 'orders', '%s', 0, 1, 0, 1, '{}', 'a test')"
            .formatted(TOPIC));
    consumer.setAutoCommit(false);
  }

  /** Three lists of progress, an inbox, effects and parked messages, all large. */
  private void fill() {
    for (int part = 0; part < 3; part++) {
      pg.execute(
          """
          insert into millrace.progress (part, consumer, topic_id, topic_partition, stripe,
            stripe_count, counter, from_offset, to_offset, leader_epoch)
          select %d, 'billing', '%s', 0, 0, 1, n, n, n + 1, 1
          from generate_series(%d, %d) n
          """
              .formatted(part, TOPIC, part * ROWS + 2, (part + 1) * ROWS + 1));
    }
    pg.execute(
        """
        insert into millrace.inbox (bucket, consumer, message_id)
        select millrace.bucket_of((extract(epoch from now()) * 1000)::bigint), 'billing', gen_random_uuid()
        from generate_series(1, %d)
        """
            .formatted(ROWS),
        """
        insert into millrace.effect (bucket, consumer, message_id, step, event)
        select i.bucket, i.consumer, i.message_id, 'pay', 'started' from millrace.inbox i
        """,
        """
        insert into millrace.inbox_parked
        select 'billing', gen_random_uuid(), now(), 'orders', '%s', 0, n, 1, now(), ('k' || n)::bytea, null,
          '{}', '{}', 'failed', true, 'why', 1, now()
        from generate_series(1, %d) n
        """
            .formatted(TOPIC, ROWS));
  }

  private void requireLittleWork(String when) throws SQLException {
    for (String mode : MODES) {
      PgFixture.execute(consumer, "set plan_cache_mode = " + mode);
      consumer.commit();
      for (Map.Entry<String, String> call : CALLS.entrySet()) {
        // The first call of a session reads the catalog as well.
        touched(call.getValue());
        assertThat(touched(call.getValue()))
            .as("pages of %s, %s, %s", call.getKey(), mode, when)
            .isLessThan(PAGES_MAX);
      }
    }
  }

  private long touched(String call) throws SQLException {
    String text =
        PgFixture.column(
                consumer,
                "explain (analyze, buffers, timing off, format json) " + call.formatted(TOPIC))
            .stream()
            .reduce("", String::concat);
    consumer.rollback();
    JsonObject plan = new JsonArray(text).getJsonObject(0).getJsonObject("Plan");
    return plan.getLong("Shared Hit Blocks") + plan.getLong("Shared Read Blocks");
  }

  @Test
  void tables_that_have_grown_cost_as_little_as_empty_ones() throws SQLException {
    pg.execute("analyze millrace.progress", "analyze millrace.inbox_parked");
    for (int i = 0; i < 6; i++) {
      requireLittleWork("empty");
    }
    fill();
    requireLittleWork("grown, with plans and statistics of empty ones");
    consumer = pg.connect(PgFixture.CONSUMER);
    consumer.setAutoCommit(false);
    requireLittleWork("grown, in a new session");
    pg.execute("analyze");
    requireLittleWork("grown and analysed");
  }
}
