package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Ids of an aggregate's messages rise in the order in which its transactions commit. */
class CaptureOrderIT {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private final ExecutorService threads = Executors.newFixedThreadPool(2);
  private Shop shop;
  private Connection first;
  private Connection second;
  private int secondPid;

  @BeforeEach
  void openTheShop() throws SQLException {
    shop = new Shop(pg);
    shop.open();
    shop.createOrders();
    shop.createLines();
    shop.owner(
        "insert into shop.orders values (1), (2)",
        "insert into shop.lines values (10, 1, 'nut'), (11, 1, 'bolt'), (20, 2, 'pin')",
        Shop.CAPTURE_ORDERS,
        "select millrace.capture('shop.lines', 'orders', 'order', '{order_id}',"
            + " parent => 'shop.orders', event_prefix => 'line')");
    first = pg.connect(Shop.IMPORTER);
    second = pg.connect(Shop.IMPORTER);
    first.setAutoCommit(false);
    secondPid = Integer.parseInt(PgFixture.value(second, "select pg_backend_pid()"));
    second.setAutoCommit(false);
  }

  @AfterEach
  void stopTheThreads() {
    threads.shutdownNow();
  }

  /** In the second transaction, which has to wait for the first one to end. */
  private Future<?> startWaiting(String sql) {
    return startWaiting(second, secondPid, sql);
  }

  private Future<?> startWaiting(Connection connection, int pid, String sql) {
    Future<?> running =
        threads.submit(
            () -> {
              PgFixture.execute(connection, sql);
              return null;
            });
    await("the transaction waits")
        .atMost(LIMIT)
        .until(
            () ->
                running.isDone()
                    || !pg.value("select cardinality(pg_blocking_pids(" + pid + "))").equals("0"));
    assertThat(running.isDone()).as("the transaction went through").isFalse();
    return running;
  }

  private void commit(Future<?> waiting) throws Exception {
    first.commit();
    waiting.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    second.commit();
  }

  @Test
  void transactions_on_different_parts_of_an_aggregate_wait_for_each_other() throws Exception {
    PgFixture.execute(first, "update shop.lines set item = 'nuts' where id = 10");
    Future<?> waiting = startWaiting("update shop.lines set item = 'bolts' where id = 11");
    PgFixture.execute(first, "delete from shop.lines where id = 10");
    commit(waiting);

    assertThat(shop.events()).containsExactly("line.updated 1", "line.deleted 1", "line.updated 1");
    assertThat(shop.payloads().get(2)).contains("bolts");
  }

  @Test
  void two_inserts_of_parts_do_not_deadlock_on_the_key_that_both_refer_to() throws Exception {
    PgFixture.execute(first, "insert into shop.lines values (12, 1, 'one')");
    Future<?> waiting = startWaiting("insert into shop.lines values (13, 1, 'two')");
    PgFixture.execute(first, "insert into shop.lines values (14, 1, 'three')");
    commit(waiting);

    assertThat(shop.payloads())
        .extracting(payload -> payload.replaceAll(".*\"item\":\"(\\w+)\".*", "$1"))
        .containsExactly("one", "three", "two");
  }

  @Test
  void a_change_of_the_aggregate_itself_waits_for_a_change_of_its_part() throws Exception {
    PgFixture.execute(first, "update shop.lines set item = 'nuts' where id = 10");
    Future<?> waiting = startWaiting("update shop.orders set status = 'paid' where id = 1");
    PgFixture.execute(first, "update shop.lines set item = 'nut' where id = 10");
    commit(waiting);

    assertThat(shop.events())
        .containsExactly("line.updated 1", "line.updated 1", "order.updated 1");
  }

  @Test
  void parts_of_other_aggregates_do_not_wait() throws Exception {
    PgFixture.execute(first, "update shop.lines set item = 'nuts' where id = 10");
    PgFixture.execute(second, "update shop.lines set item = 'pins' where id = 20");
    second.commit();
    first.commit();

    assertThat(shop.events()).containsExactly("line.updated 1", "line.updated 2");
  }

  @Test
  void what_only_refers_to_an_aggregate_does_not_wait_for_a_change_of_its_parts() throws Exception {
    shop.create("notes", "id integer primary key, order_id integer references shop.orders");
    PgFixture.execute(first, "update shop.lines set item = 'nuts' where id = 10");
    PgFixture.execute(second, "set local lock_timeout = '10s'");
    PgFixture.execute(second, "insert into shop.notes values (1, 1)");
    second.commit();
    first.commit();

    assertThat(shop.events()).containsExactly("line.updated 1");
  }

  /**
   * Each locks the aggregate that it leaves and the one that it enters, in the order of their keys.
   */
  @Test
  void parts_that_change_places_do_not_deadlock() throws Exception {
    Connection third = pg.connect(Shop.IMPORTER);
    int thirdPid = Integer.parseInt(PgFixture.value(third, "select pg_backend_pid()"));
    PgFixture.execute(first, "select id from shop.orders where id = 2 for update");

    Future<?> there = startWaiting("update shop.lines set order_id = 2 where id = 10");
    Future<?> back =
        startWaiting(third, thirdPid, "update shop.lines set order_id = 1 where id = 20");
    commit(there);
    back.get(LIMIT.toSeconds(), TimeUnit.SECONDS);

    assertThat(shop.events())
        .containsExactly("line.deleted 1", "line.created 2", "line.deleted 2", "line.created 1");
  }

  @Test
  void a_part_whose_parent_another_transaction_deletes_waits_and_is_refused_then()
      throws Exception {
    PgFixture.execute(first, "delete from shop.orders where id = 2");
    Future<?> waiting = startWaiting("insert into shop.lines values (21, 2, 'late')");
    first.commit();

    assertThat(waiting)
        .failsWithin(LIMIT)
        .withThrowableThat()
        .withMessageContaining("shop.orders has no row for the id '2' yet");
    assertThat(shop.events()).containsExactly("order.deleted 2", "line.deleted 2");
  }

  @Test
  void an_id_that_another_transaction_has_deleted_is_taken_anew_after_it() throws Exception {
    PgFixture.execute(first, "delete from shop.orders where id = 2");
    Future<?> waiting = startWaiting("insert into shop.orders values (2, 'anew')");
    PgFixture.execute(first, "update shop.orders set status = 'last' where id = 1");
    commit(waiting);

    assertThat(shop.events())
        .containsExactly("order.deleted 2", "line.deleted 2", "order.updated 1", "order.created 2");
  }
}
