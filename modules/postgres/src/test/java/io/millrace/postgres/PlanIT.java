package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The plans of a pass, of a look for all shards, and of a page of a replay. The trap is a
 * sequential or a bitmap scan with a sort, which reads a whole slot for a batch; it looks cheap
 * with the statistics of an emptied slot and a cached generic plan.
 *
 * <p>The large ring has {@code -Dmillrace.plan.rows} messages, 300,000 without it.
 */
class PlanIT {
  private static final int ROWS = Integer.getInteger("millrace.plan.rows", 300_000);
  private static final int ROWS_A_STATEMENT_MAX = 200_000;
  private static final int FRESH_ROWS = 10_000;
  private static final int BATCH_ROWS = 200;
  private static final int IDS_MAX = 20_000;

  /**
   * Pages that one pass may touch: for each row its own and one of the index, and for each slot a
   * few descents of the index and the receipts, whatever the size of the ring.
   */
  private static final long BUFFERS_MAX = 2 * BATCH_ROWS + 400;

  /** A page of a replay looks up each row twice more: is it parked, was it discarded? */
  private static final long REPLAY_BUFFERS_MAX = 6 * BATCH_ROWS + 400;

  private static final String SEEN = "pg_current_snapshot()::text";

  /** A cursor that has seen nothing: every row is late. */
  private static final String LONG_AGO = "'3:3:'";

  /** A shard without lanes, its main lane beside others, a lane. */
  private static final List<String> SCOPES =
      List.of("'', '{}'", "'', '{payments,refunds}'", "'orders', '{}'");

  private static final List<String> MODES = List.of("force_generic_plan", "force_custom_plan");

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private Connection node;

  @BeforeEach
  void prepareTheReads() throws SQLException {
    node = pg.connect(PgFixture.NODE);
    PgFixture.execute(node, "prepare onward as " + Statement.READ_ONWARD.text());
    PgFixture.execute(node, "prepare waiting as " + Statement.READ_WAITING.text());
    PgFixture.execute(node, "prepare chunk as " + Statement.READ_CHUNK.text());
    PgFixture.execute(node, "prepare replay as " + Statement.READ_REPLAY.text());
    pg.execute(
        "insert into millrace.replay (actor, reason, topic, rate) values ('ann', 'why', 'orders', 1)",
        "insert into millrace.replay_shard (replay_id, shard, head, seen, lanes, start_id, position, end_id)"
            + " values (1, 1, 0, pg_current_snapshot(), '{}', 0, 0, 0)");
  }

  @Test
  void an_empty_ring_is_read_by_its_index_in_order() throws SQLException {
    requireOrderedPlans();
  }

  @Test
  void a_fresh_ring_is_read_by_its_index_in_order() throws SQLException {
    fill(FRESH_ROWS);
    requireOrderedPlans();
    requireBoundedWork();
  }

  @Test
  void a_large_ring_is_read_by_its_index_in_order_with_as_little_work_as_a_small_one()
      throws SQLException {
    fill(ROWS);
    requireOrderedPlans();
    requireBoundedWork();

    pg.execute("analyze millrace.outbox");
    requireOrderedPlans();
    requireBoundedWork();

    pg.execute("truncate millrace.outbox");
    requireOrderedPlans();
  }

  @Test
  void statistics_of_an_empty_ring_do_not_mislead_a_full_one() throws SQLException {
    fill(FRESH_ROWS);
    pg.execute("truncate millrace.outbox", "analyze millrace.outbox");
    requireOrderedPlans();
    fill(FRESH_ROWS);
    requireOrderedPlans();
    requireBoundedWork();
  }

  private void fill(int rows) {
    int each = rows / PgFixture.SLOTS;
    for (int slot = 0; slot < PgFixture.SLOTS; slot++) {
      pg.execute("select setval('millrace.ring_slot', %d)".formatted(slot));
      for (int left = each; left > 0; left -= ROWS_A_STATEMENT_MAX) {
        pg.execute(
            """
            insert into millrace.outbox (aggregate_type, aggregate_id, topic, event_type, payload)
            select 'order', (i %% 1000)::text, 'orders', 'paid', '{"amount": 12}'
            from generate_series(1, %d) i
            """
                .formatted(Math.min(left, ROWS_A_STATEMENT_MAX)));
      }
    }
  }

  private void requireOrderedPlans() throws SQLException {
    for (String mode : MODES) {
      for (String call : calls()) {
        JsonObject plan = explain(mode, "", call);
        List<String> problems = new ArrayList<>();
        List<JsonObject> scans = new ArrayList<>();
        walk(plan, new ArrayList<>(), scans, problems);
        assertThat(problems).as("%s, %s: %s", mode, call, plan.encodePrettily()).isEmpty();
        assertThat(scans).as("%s, %s", mode, call).hasSizeGreaterThanOrEqualTo(PgFixture.SLOTS);
      }
    }
  }

  private void requireBoundedWork() throws SQLException {
    for (String mode : MODES) {
      for (String call : calls()) {
        JsonObject plan = explain(mode, "analyze, buffers, timing off,", call);
        long touched = plan.getLong("Shared Hit Blocks") + plan.getLong("Shared Read Blocks");
        long max = call.startsWith("replay") ? REPLAY_BUFFERS_MAX : BUFFERS_MAX;
        assertThat(touched).as("pages of %s, %s", mode, call).isBetween(1L, max);
      }
    }
  }

  /**
   * From the beginning, from the middle and at the end; with late rows everywhere; chunks; replays.
   */
  private List<String> calls() {
    long last = Long.parseLong(pg.value("select coalesce(max(id), 0) from millrace.outbox"));
    pg.execute(
        "update millrace.replay_shard set seen = pg_current_snapshot(), head = %1$d, end_id = %1$d"
            .formatted(last));
    List<String> calls = new ArrayList<>(List.of(replay(0), replay(last / 2), replay(last)));
    calls.addAll(List.of(waiting(0), waiting(last / 2), waiting(last)));
    calls.addAll(List.of(allOnward(SEEN, last / 2), allOnward(LONG_AGO, last / 2)));
    for (String scope : SCOPES) {
      calls.addAll(
          List.of(
              onward(SEEN, 0, scope),
              onward(SEEN, last / 2, scope),
              onward(SEEN, last, scope),
              onward(LONG_AGO, last / 2, scope),
              onward(LONG_AGO, 100, scope),
              chunk(last / 2, IDS_MAX, "null", scope),
              chunk(last / 2, BATCH_ROWS, SEEN, scope),
              chunk(last / 2, IDS_MAX, LONG_AGO, scope)));
    }
    return calls;
  }

  private static String onward(String seen, long head, String scope) {
    String[] lane = scope.split(", ", 2);
    return "onward('{1}', array[%s], '{%d}', '{%d}', '{1000000}', '{%d}', array[%s], array[%s])"
        .formatted(seen, head, BATCH_ROWS, IDS_MAX, lane[0], lane[1]);
  }

  /** All shards at once. */
  private static String allOnward(String seen, long head) {
    return ("onward('{0,1,2,3}', array_fill((%s)::text, array[4]), array_fill(%d::bigint, array[4]),"
            + " '{50,50,50,50}', '{1000000,1000000,1000000,1000000}', '{%4$d,%4$d,%4$d,%4$d}',"
            + " '{\"\",\"\",\"\",\"\"}', '{\"{}\",\"{}\",\"{}\",\"{}\"}')")
        .formatted(seen, head, BATCH_ROWS, IDS_MAX);
  }

  private static String chunk(long from, long ids, String seen, String scope) {
    return "chunk(1, %d, %d, %s, %s, %d, 1000000, %s)"
        .formatted(from, from + ids, SEEN, seen, BATCH_ROWS, scope);
  }

  private static String waiting(long head) {
    return "waiting('{0,1,2,3}', array[%1$d, %1$d, %1$d, %1$d])".formatted(head);
  }

  private static String replay(long position) {
    return "replay(1, 1, %d, %d, 1000000, %d)".formatted(position, BATCH_ROWS, IDS_MAX);
  }

  private JsonObject explain(String mode, String options, String call) throws SQLException {
    PgFixture.execute(node, Statement.BEGIN_PASS.text());
    PgFixture.execute(node, "set local plan_cache_mode = " + mode);
    String text =
        PgFixture.column(node, "explain (" + options + " format json) execute " + call).stream()
            .reduce("", String::concat);
    PgFixture.execute(node, "commit");
    return new JsonArray(text).getJsonObject(0).getJsonObject("Plan");
  }

  /** Collects the scans of slots, and what is wrong on the way down to them. */
  private static void walk(
      JsonObject node, List<String> above, List<JsonObject> scans, List<String> problems) {
    String type = node.getString("Node Type");
    String table = node.getString("Relation Name", "");
    if (table.startsWith("outbox_slot_")) {
      scans.add(node);
      if (!isOrderedIndexScan(node)) {
        problems.add(type + " of " + table);
      }
      List<String> belowTheLimit = above.subList(above.lastIndexOf("Limit") + 1, above.size());
      if (!above.contains("Limit")
          || belowTheLimit.stream().anyMatch(n -> n.contains("Sort") || n.equals("Append"))) {
        problems.add(table + " is reached through " + above);
      }
    }
    List<String> path = new ArrayList<>(above);
    path.add(type);
    for (Object child : node.getJsonArray("Plans", new JsonArray())) {
      walk((JsonObject) child, path, scans, problems);
    }
  }

  private static boolean isOrderedIndexScan(JsonObject scan) {
    String condition = scan.getString("Index Cond", "");
    return scan.getString("Node Type").matches("Index (Only )?Scan")
        && scan.getString("Scan Direction").equals("Forward")
        && scan.getString("Index Name").endsWith("_shard_id")
        && condition.contains("shard = ");
  }
}
