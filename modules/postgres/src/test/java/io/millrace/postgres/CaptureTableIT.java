package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tables that have something to them: partitions, parents, triggers of their own, owners. */
class CaptureTableIT {
  private static final String CAPTURE_LINES =
      "select millrace.capture('shop.lines', 'orders', 'order', '{order_id}', parent => 'shop.orders')";

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private Shop shop;

  @BeforeEach
  void openTheShop() throws SQLException {
    shop = new Shop(pg);
    shop.open();
    shop.createOrders();
  }

  private void createRegions() throws SQLException {
    shop.owner(
        "create table shop.regions (region text, id integer, n integer, primary key (region, id))"
            + " partition by list (region)",
        "create table shop.regions_north partition of shop.regions for values in ('north')",
        "create table shop.regions_south partition of shop.regions for values in ('south')");
    shop.grant("regions");
    shop.grant("regions_north");
    shop.owner("select millrace.capture('shop.regions', 'regions', 'region')");
  }

  @Test
  void changes_of_a_partitioned_table_are_announced_through_whichever_table_they_come()
      throws SQLException {
    createRegions();
    shop.owner("create table shop.regions_east partition of shop.regions for values in ('east')");

    shop.importer(
        "insert into shop.regions values ('north', 1, 1)",
        "update shop.regions_north set n = 2",
        "update shop.regions set region = 'south'",
        "insert into shop.regions values ('east', 1, 1)");

    assertThat(shop.events())
        .containsExactly(
            "region.created north/1",
            "region.updated north/1",
            "region.deleted north/1",
            "region.created south/1",
            "region.created east/1");
  }

  @Test
  void neither_a_partitioned_table_nor_one_of_its_partitions_can_be_truncated()
      throws SQLException {
    createRegions();

    assertThatThrownBy(() -> shop.importer("truncate shop.regions"))
        .hasMessageContaining("millrace.capture of shop.regions: TRUNCATE would remove rows");
    assertThatThrownBy(() -> shop.importer("truncate shop.regions_north"))
        .hasMessageContaining("millrace.capture of shop.regions_north: TRUNCATE would remove rows");

    shop.owner("alter table shop.regions detach partition shop.regions_north");
    shop.importer(
        "truncate shop.regions_north", "insert into shop.regions_north values ('north', 9)");
    shop.owner("select millrace.release_capture('shop.regions')");
    shop.owner("truncate shop.regions");
    assertThat(shop.events()).isEmpty();
  }

  @Test
  void a_truncation_is_refused_with_what_to_do_instead_until_the_capture_is_released()
      throws SQLException {
    shop.owner(Shop.CAPTURE_ORDERS);

    assertThatThrownBy(() -> shop.importer("truncate shop.orders"))
        .hasMessageContaining("millrace.capture of shop.orders: TRUNCATE would remove rows")
        .hasMessageContaining("Delete the rows, or call millrace.release_capture first");

    shop.owner("select millrace.release_capture('shop.orders')");
    shop.importer("insert into shop.orders values (1)", "truncate shop.orders");
    assertThat(shop.events()).isEmpty();
    assertThat(pg.column("select proname from pg_proc where pronamespace = 'shop'::regnamespace"))
        .isEmpty();
    assertThat(pg.value("select millrace.release_capture('shop.orders')")).isEqualTo("f");
  }

  @Test
  void a_second_capture_replaces_the_first_and_takes_new_columns() throws SQLException {
    shop.owner(Shop.CAPTURE_ORDERS, "alter table shop.orders add column note text");
    shop.importer("insert into shop.orders (id, note) values (1, 'unseen')");
    shop.owner("alter table shop.orders drop column amount");
    assertThatThrownBy(() -> shop.importer("insert into shop.orders (id) values (2)"))
        .hasMessageContaining("\"amount\"");

    assertThat(pg.value(Shop.CAPTURE_ORDERS)).isEqualTo("{id,status,version,note}");

    shop.importer("insert into shop.orders (id, note) values (2, 'seen')");
    assertThat(shop.payloads())
        .containsExactly(
            "{\"before\":null,\"after\":{\"id\":1,\"status\":null,\"amount\":null,\"version\":null}}",
            "{\"before\":null,\"after\":{\"id\":2,\"status\":null,\"version\":null,\"note\":\"seen\"}}");
  }

  @Test
  void generated_columns_are_sent_when_they_are_stored() throws SQLException {
    shop.create(
        "sums", "id integer primary key, a integer, b integer generated always as (a * 2) stored");
    shop.owner("select millrace.capture('shop.sums', 'sums', 'sum')");

    shop.importer("insert into shop.sums (id, a) values (1, 4)", "update shop.sums set a = 5");

    assertThat(shop.payloads())
        .containsExactly(
            "{\"before\":null,\"after\":{\"id\":1,\"a\":4,\"b\":8}}",
            "{\"before\":{\"id\":1,\"a\":4,\"b\":8},\"after\":{\"id\":1,\"a\":5,\"b\":10}}");
  }

  @Test
  void columns_that_are_generated_when_they_are_read_are_left_out() throws SQLException {
    assumeTrue(Integer.parseInt(pg.value("show server_version_num")) >= 180_000, "PostgreSQL 18");
    shop.create(
        "sums", "id integer primary key, a integer, b integer generated always as (a * 2) virtual");

    shop.owner("select millrace.capture('shop.sums', 'sums', 'sum')");
    shop.importer("insert into shop.sums (id, a) values (1, 4)");

    assertThat(shop.payloads()).containsExactly("{\"before\":null,\"after\":{\"id\":1,\"a\":4}}");
    assertThatThrownBy(
            () ->
                shop.owner("select millrace.capture('shop.sums', 'sums', 'sum', columns => '{b}')"))
        .hasMessageContaining("found 'b', which is generated when it is read");
  }

  @Test
  void geometries_are_left_out_whatever_they_hide_in() throws SQLException {
    pg.execute(
        "create schema gis",
        "create type gis.geometry as (x float8, y float8)",
        "create domain gis.place as gis.geometry",
        "create type gis.feature as (name text, place gis.place)",
        "grant usage on schema gis to public");
    shop.create(
        "sites",
        "id integer primary key, g gis.geometry, d gis.place, a gis.geometry[], f gis.feature, n text");

    shop.owner("select millrace.capture('shop.sites', 'sites', 'site')");
    shop.importer(
        "insert into shop.sites (id, n) values (1, 'here')", "update shop.sites set g = '(1,2)'");

    assertThat(shop.payloads())
        .containsExactly("{\"before\":null,\"after\":{\"id\":1,\"n\":\"here\"}}");
    for (String column : new String[] {"g", "d", "a", "f"}) {
      assertThatThrownBy(
              () ->
                  shop.owner(
                      "select millrace.capture('shop.sites', 'sites', 'site', columns => '{id,%s}')"
                          .formatted(column)))
          .hasMessageContaining("found '" + column + "', a geometry, which never goes through");
    }
  }

  @Test
  void parts_go_with_their_parent_and_follow_its_new_id() throws SQLException {
    shop.createLines();
    shop.owner(Shop.CAPTURE_ORDERS, CAPTURE_LINES);

    shop.importer(
        "insert into shop.orders values (1), (2)",
        "insert into shop.lines values (10, 1, 'nut'), (11, 2, 'bolt')",
        "update shop.lines set order_id = 2 where id = 10",
        "update shop.orders set id = 3 where id = 2",
        "delete from shop.orders where id = 3");

    assertThat(shop.events())
        .containsExactly(
            "order.created 1",
            "order.created 2",
            "lines.created 1",
            "lines.created 2",
            "lines.deleted 1",
            "lines.created 2",
            "order.deleted 2",
            "order.created 3",
            "lines.deleted 2",
            "lines.created 3",
            "lines.deleted 2",
            "lines.created 3",
            "order.deleted 3",
            "lines.deleted 3",
            "lines.deleted 3");
  }

  @Test
  void a_part_without_a_parent_is_refused() throws SQLException {
    shop.createLines();
    shop.owner(CAPTURE_LINES);

    assertThatThrownBy(() -> shop.importer("insert into shop.lines values (10, 1, 'nut')"))
        .hasMessageContaining(
            "millrace.capture of shop.lines: shop.orders has no row for the id '1' yet");
  }

  @Test
  void a_trigger_that_changes_the_row_again_is_announced_after_the_change_it_followed()
      throws SQLException {
    shop.owner(
        "create function shop.again() returns trigger language plpgsql security definer as $$ begin"
            + " update shop.orders set status = 'checked' where id = new.id; return null; end $$",
        "create trigger \"A\" after insert on shop.orders for each row execute function shop.again()",
        Shop.CAPTURE_ORDERS);

    shop.importer("insert into shop.orders values (1, 'new')");

    assertThat(shop.events()).containsExactly("order.created 1", "order.updated 1");
  }

  @Test
  void what_a_type_converts_itself_with_runs_with_the_rights_of_the_tables_owner()
      throws SQLException {
    shop.owner(
        "create type shop.sly as enum ('n')",
        "create function shop.sly_json(shop.sly) returns json language plpgsql as $$ begin return"
            + " to_json(current_user::text); end $$",
        "create cast (shop.sly as json) with function shop.sly_json(shop.sly)");
    shop.create("slies", "id integer primary key, s shop.sly");
    pg.execute("select millrace.capture('shop.slies', 'sly', 'sly', columns => '{s}')");

    shop.importer("insert into shop.slies values (1, 'n')");

    assertThat(shop.payloads())
        .containsExactly("{\"before\":null,\"after\":{\"s\":\"" + Shop.OWNER + "\"}}");
  }

  @Test
  void nobody_else_can_put_the_function_of_a_captured_table_on_a_table_of_his_own()
      throws SQLException {
    shop.owner(Shop.CAPTURE_ORDERS);
    pg.execute("create schema den authorization " + PgFixture.APPLICATION);
    pg.execute("grant usage on schema shop to " + PgFixture.APPLICATION);

    assertThatThrownBy(
            () ->
                PgFixture.execute(
                    pg.connect(PgFixture.APPLICATION),
                    "create table den.orders (id integer, status text, amount numeric, version"
                        + " bigint); create trigger forged after insert on den.orders for each row"
                        + " execute function shop.millrace_capture_orders()"))
        .hasMessageContaining("permission denied for function shop.millrace_capture_orders");
  }
}
