package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What cannot be captured is refused with what was found. */
class CaptureRefusalIT {
  @RegisterExtension static final PgFixture pg = PgFixture.sharedByTheClass();

  private Shop shop;

  @BeforeEach
  void openTheShop() throws SQLException {
    shop = new Shop(pg);
    if (pg.value("select to_regclass('shop.orders')") != null) {
      return;
    }
    shop.open();
    shop.createOrders();
    shop.owner(
        "create table shop.bare (a integer, b text, j json)",
        "create unique index on shop.bare (a) where b is null",
        "create unique index on shop.bare (lower(b))",
        "create table shop.late (a integer unique deferrable, o integer references shop.orders"
            + " deferrable)",
        "create table shop.mother (a integer primary key)",
        "create table shop.daughter () inherits (shop.mother)",
        "create unlogged table shop.fleeting (a integer primary key)",
        "create table shop.parted (a integer primary key) partition by list (a)",
        "create table shop.part partition of shop.parted for values in (1)",
        "create view shop.seen as select id from shop.orders",
        "create table shop.pairs (a integer, b integer, c integer, primary key (a, b))");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      value = {
        "null, 't', 'a'; source must name a table, found none",
        "'shop.seen', 't', 'a'; source must be a table, found shop.seen, which is of another kind (v)",
        "'shop.fleeting', 't', 'a'; source must survive a crash, found shop.fleeting",
        "'shop.part', 't', 'a'; source must be the partitioned table itself, found shop.part",
        "'shop.mother', 't', 'a'; source must have no children by inheritance",
        "'shop.orders', '', 'a'; topic must have 1 to 249 characters",
        "'shop.orders', 'no topic', 'a'; found 'no topic'",
        "'shop.orders', '..', 'a'; found '..'",
        "'shop.orders', null, 'a'; topic must have 1 to 249 characters",
        "'shop.orders', 't', ''; aggregate_type must have 1 to 200 characters, found 0",
        "'shop.orders', 't', repeat('x', 201); aggregate_type must have 1 to 200 characters, found 201",
        "'shop.orders', 't', 'a', event_prefix => repeat('x', 193); event_prefix must have 1 to 192 characters, found 193",
        "'shop.bare', 't', 'a'; id_columns must name 1 to 8 columns, found 0, and shop.bare has no primary key",
        "'shop.orders', 't', 'a', '{}'; id_columns must name 1 to 8 columns, found 0",
        "'shop.orders', 't', 'a', '{ID}'; id_columns must name columns of shop.orders that can be sent, found 'ID', which it does not have",
        "'shop.orders', 't', 'a', '{id,id}'; found 'id', twice",
        "'shop.orders', 't', 'a', columns => '{}'; columns must name at least one column that can be sent, found none",
        "'shop.orders', 't', 'a', columns => '{id,gone}'; columns must name columns of shop.orders that can be sent, found 'gone'",
        "'shop.orders', 't', 'a', columns => '{ctid}'; found 'ctid', which it does not have",
        "'shop.orders', 't', 'a', columns => array[null]; found NULL, which it does not have",
        "'shop.orders', 't', 'a', revision_column => 'status'; revision_column must name columns of shop.orders that can be sent, found 'status', which is no integer",
        "'shop.orders', 't', 'a', '{status}'; id_columns must be unique by an index",
        "'shop.bare', 't', 'a', '{a,b}'; found {a,b} of shop.bare",
        "'shop.late', 't', 'a', '{a}'; id_columns must be unique by an index",
        "'shop.pairs', 't', 'a', '{a}'; id_columns must be unique by an index",
        "'shop.late', 't', 'a', '{o}', parent => 'shop.orders'; parent needs a foreign key (valid, not deferrable) from exactly the id_columns {o} of shop.late, found none to shop.orders",
        "'shop.pairs', 't', 'a', '{a}', parent => 'shop.orders'; parent needs a foreign key",
      })
  void what_cannot_be_captured_is_refused_by_field_and_what_was_found(
      String arguments, String problem) {
    assertThatThrownBy(() -> shop.owner("select millrace.capture(" + arguments + ")"))
        .hasMessageContaining("millrace.capture: ")
        .hasMessageContaining(problem);
    assertThat(pg.column("select tgname from pg_trigger where not tgisinternal")).isEmpty();
  }
}
