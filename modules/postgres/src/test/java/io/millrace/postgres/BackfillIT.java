package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Rows that a table has already, announced as snapshots. */
class BackfillIT {
  private static final String START = "select millrace.start_backfill('shop.orders', 'o', 'order'";
  private static final String NOTED = "shop.millrace_backfill_orders";
  private static final String CHUNK_OF_10 =
      "select appended || state from millrace.backfill_chunk('shop.orders', 10)";

  @RegisterExtension static final PgFixture pg = PgFixture.freshForEveryTest();

  private Connection owner;

  @BeforeEach
  void open() throws SQLException {
    new Shop(pg).open();
    owner = pg.connect(Shop.OWNER);
    PgFixture.execute(
        owner,
        "create table shop.orders (id integer primary key, status text not null,"
            + " revision bigint not null default 1)");
    PgFixture.execute(
        owner, "insert into shop.orders select n, 'open' from generate_series(1, 25) n");
  }

  @Test
  void rows_are_announced_in_bounded_chunks_and_how_far_it_is_can_be_seen() throws SQLException {
    assertThat(value(START + ", revision_column => 'revision')")).isEqualTo(NOTED);

    assertThat(value(CHUNK_OF_10)).isEqualTo("10running");
    assertThat(progress()).isEqualTo("running 10 {10}");
    assertThat(value(CHUNK_OF_10)).isEqualTo("10running");
    assertThat(value(CHUNK_OF_10)).isEqualTo("5running");
    assertThat(value(CHUNK_OF_10)).isEqualTo("0done");
    assertThat(value(CHUNK_OF_10)).isEqualTo("0done");

    assertThat(progress()).isEqualTo("done 25 {25}");
    assertThat(pg.column("select aggregate_id from millrace.outbox order by id"))
        .isEqualTo(pg.column("select id from shop.orders order by id"));
    assertThat(
            pg.value(
                "select concat_ws(' ', topic, aggregate_type, event_type, revision, content_type,"
                    + " convert_from(payload, 'UTF8')) from millrace.outbox order by id limit 1"))
        .isEqualTo(
            "o order order.snapshot 1 application/json"
                + " {\"before\":null,\"after\":{\"id\":1,\"status\":\"open\",\"revision\":1}}");
  }

  @Test
  void a_chunk_that_is_rolled_back_is_done_again_and_a_stop_loses_and_repeats_nothing()
      throws SQLException {
    value(START + ")");
    owner.setAutoCommit(false);
    value(CHUNK_OF_10);
    owner.rollback();
    owner.setAutoCommit(true);
    value(CHUNK_OF_10);

    // Another session, as after a crash of the first.
    PgFixture.execute(pg.connect(Shop.OWNER), "call millrace.backfill('shop.orders', 7, 0)");

    assertThat(progress()).isEqualTo("done 25 {25}");
    assertThat(
            pg.value("select count(*) || ' ' || count(distinct aggregate_id) from millrace.outbox"))
        .isEqualTo("25 25");
  }

  @Test
  void a_cancelled_one_stops_and_a_resumed_one_goes_on() throws SQLException {
    assertThat(value("select millrace.cancel_backfill('shop.orders')")).isEqualTo("f");
    value(START + ")");
    value(CHUNK_OF_10);
    assertThat(value("select millrace.cancel_backfill('shop.orders')")).isEqualTo("t");
    PgFixture.execute(owner, "call millrace.backfill('shop.orders')");
    assertThat(progress()).isEqualTo("cancelled 10 {10}");

    assertThat(value("select millrace.resume_backfill('shop.orders')")).isEqualTo("t");
    PgFixture.execute(owner, "call millrace.backfill('shop.orders', pause_ms => 0)");

    assertThat(progress()).isEqualTo("done 25 {25}");
    assertThat(pg.value("select count(*) from millrace.outbox")).isEqualTo("25");
    assertThat(value("select millrace.resume_backfill('shop.orders')")).isEqualTo("f");
  }

  @Test
  void one_that_is_done_can_be_begun_anew_and_one_that_runs_cannot() throws SQLException {
    value(START + ")");
    assertThatThrownBy(() -> value(START + ")"))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("55000"))
        .hasMessageContaining("the backfill of shop.orders is running");
    PgFixture.execute(owner, "call millrace.backfill('shop.orders', pause_ms => 0)");
    value(START + ")");
    PgFixture.execute(owner, "call millrace.backfill('shop.orders', pause_ms => 0)");
    assertThat(pg.value("select count(*) from millrace.outbox")).isEqualTo("50");
  }

  @Test
  void a_row_in_an_open_change_is_waited_for_and_announced_after_it() throws Exception {
    capture();
    value(START + ", revision_column => 'revision')");
    Connection writer = pg.connect(Shop.OWNER);
    writer.setAutoCommit(false);
    PgFixture.execute(writer, "update shop.orders set status = 'paid', revision = 2 where id = 13");

    assertThatThrownBy(() -> value("select millrace.backfill_chunk('shop.orders', 25)"))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("55P03"));
    CompletableFuture<Void> backfill =
        CompletableFuture.runAsync(() -> call("call millrace.backfill('shop.orders', 25, 0)"));
    Awaitility.await().until(() -> progress().equals("running 12 {12}"));
    writer.commit();
    backfill.get(30, TimeUnit.SECONDS);

    assertThat(
            pg.column(
                "select event_type || ' ' || revision from millrace.outbox"
                    + " where aggregate_id = '13' order by id"))
        .containsExactly("order.updated 2", "order.snapshot 2");
    assertThat(progress()).isEqualTo("done 25 {25}");
  }

  @Test
  void beside_writers_every_row_is_announced_and_no_snapshot_stands_out_of_order()
      throws Exception {
    PgFixture.execute(
        owner, "insert into shop.orders select n, 'open' from generate_series(26, 2000) n");
    capture();
    AtomicBoolean isOver = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(3);
    List<Future<?>> writers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int seed = i;
      writers.add(threads.submit(() -> writeUntil(isOver, seed)));
    }
    try {
      value(START + ", revision_column => 'revision')");
      call("call millrace.backfill('shop.orders', 40, 5)");
    } finally {
      isOver.set(true);
      threads.shutdown();
    }
    for (Future<?> writer : writers) {
      writer.get(30, TimeUnit.SECONDS);
    }

    // What is there at the end is what its last message says; what is gone was announced as gone.
    assertThat(
            pg.column(
                """
                with last as (
                  select distinct on (aggregate_id) aggregate_id, event_type, revision
                  from millrace.outbox order by aggregate_id, id desc)
                select concat_ws(' ', coalesce(o.id::text, l.aggregate_id), o.revision, l.event_type, l.revision)
                from shop.orders o full join last l on l.aggregate_id = o.id::text
                where l.aggregate_id is null or o.id is null and l.event_type <> 'order.deleted'
                   or o.revision <> l.revision or o.id is not null and l.event_type = 'order.deleted'"""))
        .isEmpty();
    // Within an aggregate revisions never go back, and a snapshot tells what was told before it.
    assertThat(
            pg.column(
                """
                select concat_ws(' ', aggregate_id, event_type, revision, before) from (
                  select aggregate_id, event_type, revision,
                         lag(revision) over w as before, lag(event_type) over w as event_before
                  from millrace.outbox window w as (partition by aggregate_id order by id)) o
                where event_before <> 'order.deleted'
                  and (revision < before or event_type = 'order.snapshot' and revision <> before)"""))
        .isEmpty();
    assertThat(
            pg.value("select count(*) > 1000 from millrace.outbox where event_type like '%snap%'"))
        .isEqualTo("t");
    assertThat(pg.value("select count(*) > 20 from millrace.outbox where event_type like '%upd%'"))
        .isEqualTo("t");
  }

  @Test
  void keys_of_several_columns_and_payloads_of_the_applications_own() throws SQLException {
    PgFixture.execute(
        owner,
        "create table shop.lines (shop text collate \"C\", day timestamptz, pieces integer,"
            + " primary key (shop, day))");
    PgFixture.execute(
        owner,
        "insert into shop.lines select s, t, 5 from unnest(array['a/b', 'a', 'Z']) s,"
            + " unnest(array['2026-01-01 00:00:00.000001+00', '2025-06-01 12:00+02']::timestamptz[]) t");
    PgFixture.execute(
        owner,
        "create function shop.line_message(l shop.lines) returns json language sql stable"
            + " as $$ select json_build_object('pieces', l.pieces) $$");

    value(
        "select millrace.start_backfill('shop.lines', 'l', 'line', event_prefix => 'stock',"
            + " payload => 'shop.line_message(shop.lines)')");
    PgFixture.execute(owner, "set timezone = 'Asia/Tokyo'");
    PgFixture.execute(owner, "set datestyle = 'ISO, DMY'");
    PgFixture.execute(owner, "call millrace.backfill('shop.lines', 1, 0)");

    assertThat(pg.column("select aggregate_id from millrace.outbox order by id"))
        .containsExactly(
            "Z/2025-06-01 10:00:00+00",
            "Z/2026-01-01 00:00:00.000001+00",
            "a/2025-06-01 10:00:00+00",
            "a/2026-01-01 00:00:00.000001+00",
            "a%2Fb/2025-06-01 10:00:00+00",
            "a%2Fb/2026-01-01 00:00:00.000001+00");
    assertThat(
            pg.column(
                "select distinct event_type || convert_from(payload, 'UTF8') from millrace.outbox"))
        .containsExactly("stock.snapshot{\"pieces\" : 5}");
  }

  @Test
  void what_cannot_be_backfilled_is_refused_with_what_it_must_be() throws SQLException {
    PgFixture.execute(owner, "create table shop.bare (id integer)");
    assertRefused(
        "select millrace.start_backfill('shop.bare', 'o', 'order')", "must have a primary key");
    assertRefused(
        "select millrace.start_backfill('shop.orders', 'no topic', 'order')", "topic must have 1");
    assertRefused(START + ", columns => '{nothing}')", "columns must name columns");
    assertRefused(START + ", revision_column => 'status')", "which is no integer");
    assertRefused(START + ", payload => 'now()')", "payload must be a function of one row");
    assertRefused(
        "select millrace.backfill_chunk('shop.orders', 0)", "must be 1 to 10000, found 0");
    assertRefused("call millrace.backfill('shop.orders', 1, -1)", "pause_ms must be 0 to 60000");
    assertThatThrownBy(() -> value(CHUNK_OF_10)).hasMessageContaining("there is no backfill of");
    PgFixture.execute(owner, "update shop.orders set revision = -1 where id = 7");
    value(START + ", revision_column => 'revision')");
    assertRefused(CHUNK_OF_10, "the revision of order '7' must not be negative, found -1");
    assertThat(pg.value("select count(*) from millrace.outbox")).isEqualTo("0");
  }

  @Test
  void only_the_owner_may_start_one() {
    assertThatThrownBy(
            () ->
                PgFixture.value(
                    pg.connect(PgFixture.APPLICATION),
                    "select millrace.start_backfill('shop.orders', 'o', 'order')"))
        .isInstanceOf(SQLException.class)
        .hasMessageMatching("(?s).*(permission denied|only the owner).*");
  }

  private void assertRefused(String sql, String text) {
    assertThatThrownBy(() -> PgFixture.execute(owner, sql))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("22023"))
        .hasMessageContaining(text);
  }

  private void capture() throws SQLException {
    value("select millrace.capture('shop.orders', 'o', 'order', revision_column => 'revision')");
  }

  /** Updates, inserts, deletes and moves keys, some of it rolled back. */
  private Void writeUntil(AtomicBoolean isOver, int seed) throws SQLException {
    Random random = new Random(seed);
    Connection connection = pg.connect(Shop.OWNER);
    connection.setAutoCommit(false);
    try (connection) {
      for (int i = 0; !isOver.get(); i++) {
        int id = 1 + random.nextInt(2_000);
        String sql =
            switch (random.nextInt(10)) {
              case 0 -> "delete from shop.orders where id = " + id;
              case 1 ->
                  "insert into shop.orders values (%d, 'new')".formatted(10_000 * (seed + 1) + i);
              case 2 ->
                  "update shop.orders set id = %d, revision = revision + 1 where id = %d"
                      .formatted(100_000 * (seed + 1) + i, id);
              default -> "update shop.orders set revision = revision + 1 where id = " + id;
            };
        PgFixture.execute(connection, sql);
        if (random.nextInt(10) == 0) {
          connection.rollback();
        } else {
          connection.commit();
        }
      }
    }
    return null;
  }

  private void call(String sql) {
    try (Connection connection = pg.connect(Shop.OWNER)) {
      PgFixture.execute(connection, sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private String value(String sql) throws SQLException {
    return PgFixture.value(owner, sql);
  }

  private String progress() {
    return pg.value("select concat_ws(' ', state, rows_done, position) from " + NOTED);
  }
}
