package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Who may capture a table, and what of it cannot be announced: refused with what was found. */
class CaptureLimitIT {
  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private Shop shop;

  @BeforeEach
  void openTheShop() throws SQLException {
    shop = new Shop(pg);
    shop.open();
    shop.createOrders();
  }

  @Test
  void an_id_that_holds_a_unique_column_and_more_is_enough() throws SQLException {
    shop.owner(
        "create table shop.pairs (a integer, b integer, c integer, primary key (a, b))",
        "select millrace.capture('shop.orders', 't', 'a', '{status,id}')",
        "select millrace.capture('shop.pairs', 't', 'b', '{c,b,a}')");

    shop.owner("insert into shop.pairs values (1, 2, 3)");

    assertThat(shop.events()).containsExactly("b.created 3/2/1");
  }

  @Test
  void only_the_owner_of_a_table_captures_it_and_only_if_it_may_append() throws SQLException {
    pg.execute(
        "create schema den authorization importer",
        "create table den.t (a integer primary key)",
        "alter table den.t owner to importer",
        "grant usage on schema shop to application");

    assertThatThrownBy(
            () -> PgFixture.execute(pg.connect(PgFixture.APPLICATION), Shop.CAPTURE_ORDERS))
        .hasMessageContaining(
            "only the owner of shop.orders may capture it: shopkeeper, found application");
    assertThatThrownBy(() -> shop.importer("select millrace.capture('den.t', 't', 'a')"))
        .hasMessageContaining("permission denied for");
    assertThatThrownBy(() -> pg.execute("select millrace.capture('den.t', 't', 'a')"))
        .hasStackTraceContaining(
            "the owner of den.t must be allowed to append: grant millrace_writer to importer");
    assertThatThrownBy(() -> pg.execute("select millrace.capture('millrace.shard', 't', 'a')"))
        .hasStackTraceContaining("source must be a table of your own, found millrace.shard");
  }

  @Test
  void a_parent_whose_rows_the_owner_may_not_lock_is_refused() throws SQLException {
    pg.execute(
        "create table public.others (id integer primary key)",
        "grant references, select on public.others to shopkeeper");
    shop.create("lines", "id integer primary key, o integer references public.others");
    String capture =
        "select millrace.capture('shop.lines', 't', 'a', '{o}', parent => 'public.others')";

    assertThatThrownBy(() -> shop.owner(capture))
        .hasMessageContaining("grant select, update on public.others to shopkeeper");

    pg.execute(
        "grant update on public.others to shopkeeper", "insert into public.others values (1)");
    shop.owner(capture);
    shop.importer("insert into shop.lines values (1, 1)");
    assertThat(shop.events()).containsExactly("lines.created 1");
  }

  @Test
  void a_null_in_an_id_fails_the_writer_and_names_the_table() throws SQLException {
    shop.create("codes", "code text unique, n integer");
    shop.importer("insert into shop.codes values (null, 1), (null, 2)");
    shop.owner("select millrace.capture('shop.codes', 't', 'code', '{code}')");

    assertThatThrownBy(() -> shop.importer("insert into shop.codes values (null, 3)"))
        .hasMessageContaining(
            "millrace.capture of shop.codes: a column of the aggregate's id is null, found {\"code\":null,\"n\":3}");
    shop.importer(
        "update shop.codes set code = 'c' where n = 1", "delete from shop.codes where n = 2");
    assertThat(shop.events()).containsExactly("code.created c");
  }

  @Test
  void what_does_not_fit_a_message_fails_the_writer_and_names_table_id_size_and_limit()
      throws SQLException {
    shop.create("notes", "id text primary key, n text, v integer");
    shop.owner(
        "select millrace.capture('shop.notes', 't', 'note', columns => '{n}', revision_column => 'v')");
    int around = "{\"before\":null,\"after\":{\"n\":\"\"}}".length();
    int fits = PgFixture.PAYLOAD_BYTES_MAX - around;
    String insert = "insert into shop.notes values (%s, repeat('x', %d), %d)";

    shop.importer(insert.formatted("'fits'", fits, 0));
    assertThatThrownBy(() -> shop.importer(insert.formatted("'large'", fits + 1, 0)))
        .hasMessageContaining(
            "millrace.capture of shop.notes: the message of note 'large' must have at most 1000"
                + " bytes, found 1001; list fewer columns, or raise schema.payload_bytes_max");
    assertThatThrownBy(() -> shop.importer(insert.formatted("repeat('i', 401)", 1, 0)))
        .hasMessageContaining(
            "the aggregate's id must have 1 to 400 characters, found 401 in 'iii");
    assertThatThrownBy(() -> shop.importer(insert.formatted("''", 1, 0)))
        .hasMessageContaining("the aggregate's id must have 1 to 400 characters, found 0 in ''");
    assertThatThrownBy(() -> shop.importer(insert.formatted("'back'", 1, -1)))
        .hasMessageContaining("the revision of note 'back' must not be negative, found -1");
    assertThat(shop.events()).containsExactly("note.created fits");
    assertThat(pg.value("select count(*) from shop.notes")).isEqualTo("1");
  }
}
