package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.StringReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.PGConnection;

/** What a captured table announces, and how it is written. */
class CaptureIT {
  private static final int ROWS = 100_000;

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private Shop shop;

  @BeforeEach
  void openTheShop() throws SQLException {
    shop = new Shop(pg);
    shop.open();
    shop.createOrders();
  }

  @Test
  void inserts_updates_and_deletes_of_a_writer_without_any_grant_become_messages()
      throws SQLException {
    shop.owner(Shop.CAPTURE_ORDERS);

    shop.importer(
        "insert into shop.orders values (7, 'new', 1.10, 1)",
        "update shop.orders set status = 'paid'",
        "delete from shop.orders");

    assertThat(shop.events())
        .containsExactly("order.created 7", "order.updated 7", "order.deleted 7");
    String row = "{\"id\":7,\"status\":\"%s\",\"amount\":1.10,\"version\":1}";
    assertThat(shop.payloads())
        .containsExactly(
            "{\"before\":null,\"after\":%s}".formatted(row.formatted("new")),
            "{\"before\":%s,\"after\":%s}".formatted(row.formatted("new"), row.formatted("paid")),
            "{\"before\":%s,\"after\":null}".formatted(row.formatted("paid")));
    assertThat(
            pg.column(
                "select distinct topic || aggregate_type || content_type from millrace.outbox"))
        .containsExactly("ordersorderapplication/json");
    assertThatThrownBy(() -> shop.importer("insert into millrace.outbox (topic) values ('forged')"))
        .hasMessageContaining("permission denied");
  }

  @Test
  void a_change_and_its_message_are_rolled_back_together() throws SQLException {
    shop.owner(Shop.CAPTURE_ORDERS);

    shop.importer("begin; insert into shop.orders values (1); rollback");

    assertThat(shop.events()).isEmpty();
  }

  @Test
  void only_the_columns_asked_for_are_sent_and_a_change_of_others_is_not_announced()
      throws SQLException {
    shop.owner(
        "select millrace.capture('shop.orders', 'orders', 'order', columns => '{status,amount}',"
            + " revision_column => 'version', event_prefix => 'sale')");

    shop.importer(
        "insert into shop.orders values (1, 'new', 5, 3)",
        "update shop.orders set version = 4",
        "update shop.orders set status = status",
        "update shop.orders set amount = 6, version = 5",
        "delete from shop.orders");

    assertThat(shop.payloads())
        .containsExactly(
            "{\"before\":null,\"after\":{\"status\":\"new\",\"amount\":5}}",
            "{\"before\":{\"status\":\"new\",\"amount\":5},\"after\":{\"status\":\"new\",\"amount\":6}}",
            "{\"before\":{\"status\":\"new\",\"amount\":6},\"after\":null}");
    assertThat(pg.column("select event_type || ' ' || revision from millrace.outbox order by id"))
        .containsExactly("sale.created 3", "sale.updated 5", "sale.deleted 5");
  }

  @Test
  void a_changed_id_ends_the_old_aggregate_and_begins_a_new_one() throws SQLException {
    shop.owner("select millrace.capture('shop.orders', 'orders', 'order', columns => '{status}')");

    shop.importer("insert into shop.orders values (1, 'new')", "update shop.orders set id = 2");

    assertThat(shop.events())
        .containsExactly("order.created 1", "order.deleted 1", "order.created 2");
    assertThat(shop.payloads())
        .endsWith(
            "{\"before\":{\"status\":\"new\"},\"after\":null}",
            "{\"before\":null,\"after\":{\"status\":\"new\"}}");
  }

  @Test
  void an_id_of_several_columns_is_joined_so_that_no_two_look_alike() throws SQLException {
    shop.create("parts", "a text, b text, n integer, primary key (a, b)");
    shop.owner("select millrace.capture('shop.parts', 'parts', 'part', columns => '{n}')");

    shop.importer(
        "insert into shop.parts values ('x/y', 'z'), ('x', 'y/z'), ('x%2Fy', 'z'), ('', ''), ('u', 'v')");

    assertThat(shop.events())
        .containsExactly(
            "part.created x%2Fy/z",
            "part.created x/y%2Fz", "part.created x%252Fy/z", "part.created /", "part.created u/v");
  }

  // Settings are local to a statement: the driver insists on a DateStyle of its own in between.
  @Test
  void values_are_written_alike_whatever_the_writers_session_is_set_to() throws SQLException {
    shop.create(
        "kinds",
        "id integer primary key, t timestamptz, d date, i interval, f float8, b bytea, n numeric,"
            + " j json, jb jsonb, a integer[], m money, bo boolean, big numeric, u text");
    shop.owner("select millrace.capture('shop.kinds', 'kinds', 'kind')");

    shop.importer(
        "do $$ begin set local timezone = 'Asia/Tokyo'; set local datestyle = 'SQL, DMY'; set local intervalstyle ="
            + " 'sql_standard'; set bytea_output = 'escape'; set extra_float_digits = -5; set"
            + " search_path = shop; insert into kinds values (1, '2026-01-02T03:04:05.000006+00',"
            + " '2026-02-03', '1 day 02:00', 0.1::float8 + 0.2, '\\x00ff', 'NaN',"
            + " '{\"k\": 1.50, \"k\": \"\\u0000\"}', '{\"k\": 1.50}', '{1,null}', 5, true,"
            + " 12345678901234567890.10, 'caf\u00e9 \"\\ \n'); end $$");

    assertThat(shop.payloads())
        .containsExactly(
            "{\"before\":null,\"after\":{\"id\":1,\"t\":\"2026-01-02T03:04:05.000006+00:00\","
                + "\"d\":\"2026-02-03\",\"i\":\"P1DT2H\",\"f\":0.30000000000000004,"
                + "\"b\":\"\\\\x00ff\",\"n\":\"NaN\",\"j\":{\"k\": 1.50, \"k\": \"\\u0000\"},"
                + "\"jb\":{\"k\": 1.50},\"a\":[1,null],\"m\":\"$5.00\",\"bo\":true,"
                + "\"big\":12345678901234567890.10,\"u\":\"caf\u00e9 \\\"\\\\ \\n\"}}");
  }

  @Test
  void the_same_id_of_a_row_is_written_alike_by_sessions_of_different_settings()
      throws SQLException {
    shop.create("days", "t timestamptz primary key, n integer");
    shop.owner("select millrace.capture('shop.days', 'days', 'day')");

    shop.importer(
        "insert into shop.days values ('2026-01-02T03:04:05Z', 1)",
        "do $$ begin set local timezone = 'Asia/Tokyo'; set local datestyle = 'SQL, DMY'; update"
            + " shop.days set n = 2; end $$");

    assertThat(shop.events())
        .containsExactly(
            "day.created 2026-01-02 03:04:05+00", "day.updated 2026-01-02 03:04:05+00");
  }

  @Test
  void names_of_columns_may_be_anything() throws SQLException {
    String many =
        IntStream.range(0, 60).mapToObj(i -> "c" + i + " int").collect(Collectors.joining(", "));
    shop.create(
        "odd",
        "\"Id/%\" integer primary key, r int, old int, before int, \"a \"\"b'\" int, \"row.x\" int, "
            + many);
    shop.owner("select millrace.capture('shop.odd', 'odd', 'odd', '{Id/%}')");

    shop.importer("insert into shop.odd (\"Id/%\", r, \"row.x\") values (1, 2, 3)");

    assertThat(shop.payloads().get(0))
        .startsWith(
            "{\"before\":null,\"after\":{\"Id/%\":1,\"r\":2,\"old\":null,\"before\":null,\"a \\\"b'\":null,"
                + "\"row.x\":3,\"c0\":null")
        .endsWith("\"c59\":null}}");
  }

  @Test
  void every_row_of_a_copy_and_of_a_set_based_insert_is_announced() throws Exception {
    shop.owner(Shop.CAPTURE_ORDERS);
    String rows =
        IntStream.range(0, ROWS).mapToObj(i -> i + "\tnew\t1.5\t1\n").collect(Collectors.joining());

    try (Connection importer = pg.connect(Shop.IMPORTER)) {
      long copied =
          importer
              .unwrap(PGConnection.class)
              .getCopyAPI()
              .copyIn("copy shop.orders from stdin", new StringReader(rows));
      assertThat(copied).isEqualTo(ROWS);
    }
    shop.importer(
        "insert into shop.orders select n, 'more' from generate_series(%d, %d) n"
            .formatted(ROWS, ROWS + 999));

    assertThat(
            pg.value(
                "select count(*) || ' ' || count(distinct m.id) from shop.orders o join"
                    + " millrace.outbox m on m.aggregate_id = o.id::text and m.event_type ="
                    + " 'order.created'"))
        .isEqualTo((ROWS + 1_000) + " " + (ROWS + 1_000));
    assertThat(pg.value("select count(*) from millrace.outbox")).isEqualTo("" + (ROWS + 1_000));
  }

  @Test
  void upserts_and_merges_announce_what_they_did() throws SQLException {
    shop.owner(Shop.CAPTURE_ORDERS);

    shop.importer(
        "insert into shop.orders values (1, 'a')",
        "insert into shop.orders values (1, 'b'), (2, 'b') on conflict do nothing",
        "insert into shop.orders values (2, 'c') on conflict (id) do update set status = excluded.status",
        "merge into shop.orders o using (values (1), (3)) n(id) on o.id = n.id"
            + " when matched then delete when not matched then insert values (n.id, 'm')");

    assertThat(shop.events())
        .containsExactlyInAnyOrder(
            "order.created 1",
            "order.created 2",
            "order.updated 2",
            "order.deleted 1",
            "order.created 3");
  }
}
