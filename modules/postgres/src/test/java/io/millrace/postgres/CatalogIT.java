package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What every argument about order and cleanliness rests on, read from the catalog. */
class CatalogIT {
  private static final String LEAVES =
      "(select c.* from pg_inherits i join pg_class c on c.oid = i.inhrelid"
          + " where i.inhparent = 'millrace.outbox'::regclass)";
  private static final String SCHEMA = "'millrace'::regnamespace";

  @RegisterExtension static final PgFixture pg = PgFixture.sharedByTheClass();

  @Test
  void in_the_outbox_and_in_every_slot_the_xid_comes_first_then_the_id_then_the_slot() {
    String columns =
        "select string_agg(a.attname || ' ' || format_type(a.atttypid, null), ', '"
            + " order by a.attnum) from pg_attribute a where a.attrelid = '%s'::regclass"
            + " and a.attnum between 1 and 4";
    List<String> tables = pg.column("select c.oid::regclass from " + LEAVES + " c");
    assertThat(tables).hasSize(PgFixture.SLOTS);

    assertThat(pg.value(columns.formatted("millrace.outbox")))
        .isEqualTo("xid xid8, id bigint, slot smallint, shard smallint");
    for (String table : tables) {
      assertThat(pg.value(columns.formatted(table)))
          .isEqualTo("xid xid8, id bigint, slot smallint, shard smallint");
    }
  }

  @Test
  void their_defaults_are_those_of_the_database_alone() {
    assertThat(defaultOf("xid")).isEqualTo("pg_current_xact_id()");
    assertThat(defaultOf("id")).isEqualTo("nextval('millrace.outbox_id'::regclass)");
    assertThat(defaultOf("slot"))
        .isEqualTo("(pg_sequence_last_value('millrace.ring_slot'::regclass))::smallint");
    assertThat(defaultOf("created_at")).isEqualTo("clock_timestamp()");
    assertThat(defaultOf("message_id")).isEqualTo("millrace.uuid_v7()");
  }

  private String defaultOf(String column) {
    return pg.value(
        "select pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d join pg_attribute a"
            + " on a.attrelid = d.adrelid and a.attnum = d.adnum"
            + " where d.adrelid = 'millrace.outbox'::regclass and a.attname = '"
            + column
            + "'");
  }

  @Test
  void the_shard_is_generated_and_stored() {
    assertThat(
            pg.value(
                "select attgenerated from pg_attribute"
                    + " where attrelid = 'millrace.outbox'::regclass and attname = 'shard'"))
        .isEqualTo("s");
    assertThat(defaultOf("shard")).isEqualTo("millrace.shard_of(aggregate_type, aggregate_id)");
  }

  @Test
  void no_sequence_hands_out_numbers_ahead() {
    assertThat(pg.column("select seqcache from pg_sequence")).isNotEmpty().containsOnly("1");
  }

  @Test
  void payloads_are_bytes() {
    assertThat(
            pg.column(
                "select distinct data_type from information_schema.columns"
                    + " where table_schema = 'millrace' and column_name = 'payload'"))
        .containsExactly("bytea");
  }

  @Test
  void no_slot_is_vacuumed_and_every_page_is_filled() {
    assertThat(pg.column("select c.reloptions from " + LEAVES + " c"))
        .hasSize(PgFixture.SLOTS)
        .allSatisfy(
            options -> assertThat(options).contains("autovacuum_enabled=off", "fillfactor=100"));
    assertThat(
            pg.column(
                "select t.reloptions from "
                    + LEAVES
                    + " c join pg_class t on t.oid = c.reltoastrelid"))
        .hasSize(PgFixture.SLOTS)
        .allSatisfy(options -> assertThat(options).contains("autovacuum_enabled=off"));
  }

  @Test
  void there_is_no_foreign_key_and_no_default_partition() {
    assertThat(
            pg.column(
                "select conname from pg_constraint where contype = 'f' and connamespace = "
                    + SCHEMA))
        .isEmpty();
    assertThat(
            pg.column("select partrelid::regclass from pg_partitioned_table where partdefid > 0"))
        .isEmpty();
  }

  @Test
  void the_only_index_of_a_slot_is_the_one_by_shard_and_id_and_it_is_not_unique() {
    assertThat(
            pg.column(
                "select pg_get_indexdef(x.indexrelid) from pg_index x join "
                    + LEAVES
                    + " c on c.oid = x.indrelid"))
        .hasSize(PgFixture.SLOTS)
        .allSatisfy(
            index ->
                assertThat(index).startsWith("CREATE INDEX ").endsWith("USING btree (shard, id)"));
    assertThat(pg.column("select indexrelid::regclass from pg_index where not indisvalid"))
        .isEmpty();
  }

  @Test
  void a_writer_supplies_neither_xid_nor_id_nor_slot_nor_time() {
    assertThat(columnsThat("millrace_writer", "insert"))
        .containsExactlyInAnyOrder(
            "message_id",
            "aggregate_type",
            "aggregate_id",
            "revision",
            "topic",
            "message_key",
            "event_type",
            "schema_version",
            "content_type",
            "headers",
            "payload",
            "resolver");
  }

  @Test
  void a_writer_reads_what_it_may_return_and_no_payload() {
    assertThat(columnsThat("millrace_writer", "select"))
        .containsExactlyInAnyOrder(
            "id",
            "message_id",
            "shard",
            "aggregate_type",
            "aggregate_id",
            "revision",
            "topic",
            "created_at");
    assertThat(columnsThat("millrace_writer", "update")).isEmpty();
    assertThat(tablesThat("millrace_writer", "delete, truncate, trigger, references")).isEmpty();
  }

  private List<String> columnsThat(String role, String privilege) {
    return pg.column(
        "select attname from pg_attribute where attrelid = 'millrace.outbox'::regclass"
            + " and attnum > 0 and has_column_privilege('%s', attrelid, attnum, '%s')"
                .formatted(role, privilege));
  }

  private List<String> tablesThat(String role, String privileges) {
    return pg.column(
        "select oid::regclass from pg_class where relkind in ('r', 'p', 'v', 'm')"
            + " and relnamespace = %s and has_table_privilege('%s', oid, '%s')"
                .formatted(SCHEMA, role, privileges));
  }

  @Test
  void nobody_but_the_owner_can_turn_the_ring_by_its_sequence() {
    for (String role : List.of("writer", "relay", "maintenance", "reader")) {
      assertThat(
              pg.value(
                  "select has_sequence_privilege('millrace_%s', 'millrace.ring_slot', 'usage, update')"
                      .formatted(role)))
          .as(role)
          .isEqualTo("f");
      assertThat(
              pg.value(
                  "select has_sequence_privilege('millrace_%s', 'millrace.ring_slot', 'select')"
                      .formatted(role)))
          .as(role)
          .isEqualTo("t");
    }
  }

  @Test
  void relays_maintenance_and_readers_write_nothing_but_through_functions() {
    for (String role : List.of("millrace_relay", "millrace_maintenance", "millrace_reader")) {
      assertThat(tablesThat(role, "insert, update, delete, truncate, trigger")).as(role).isEmpty();
      assertThat(
              pg.column(
                  "select oid::regclass from pg_class where relkind in ('r', 'p', 'v')"
                      + " and relnamespace = %s and has_any_column_privilege('%s', oid, 'insert, update')"
                          .formatted(SCHEMA, role)))
          .as(role)
          .isEmpty();
      assertThat(
              pg.column(
                  "select seqrelid::regclass from pg_sequence"
                      + " where has_sequence_privilege('%s', seqrelid, 'usage, update')"
                          .formatted(role)))
          .as(role)
          .isEmpty();
    }
  }

  @Test
  void readers_can_call_nothing_that_writes() {
    assertThat(
            pg.column(
                "select proname from pg_proc where pronamespace = "
                    + SCHEMA
                    + " and provolatile = 'v' and has_function_privilege('millrace_reader', oid,"
                    + " 'execute') order by 1"))
        .containsExactly("ring_current", "slot_unpublished");
  }

  @Test
  void no_function_is_for_everyone() {
    assertThat(
            pg.column(
                "select oid::regprocedure from pg_proc where pronamespace = "
                    + SCHEMA
                    + " and has_function_privilege('public', oid, 'execute')"))
        .isEmpty();
  }

  @Test
  void what_runs_with_the_owners_rights_looks_up_names_in_a_fixed_path() {
    assertThat(
            pg.column(
                "select oid::regprocedure from pg_proc where prosecdef and pronamespace = "
                    + SCHEMA
                    + " and not coalesce(proconfig @> '{\"search_path=pg_catalog, pg_temp\"}', false)"))
        .isEmpty();
    assertThat(
            pg.value(
                "select count(*) > 10 from pg_proc where prosecdef and pronamespace = " + SCHEMA))
        .isEqualTo("t");
  }

  @Test
  void a_view_can_be_read_and_not_written() {
    assertThat(
            pg.column(
                "select table_name from information_schema.views where table_schema = 'millrace'"
                    + " and (is_updatable = 'YES' or is_insertable_into = 'YES')"))
        .isEmpty();
  }

  @Test
  void no_time_is_without_a_zone() {
    assertThat(
            pg.column(
                // The list of migrations is laid out by the migration library.
                "select table_name || '.' || column_name from information_schema.columns"
                    + " where table_schema = 'millrace' and table_name <> 'schema_history'"
                    + " and data_type in ('timestamp without time zone',"
                    + " 'time without time zone')"))
        .isEmpty();
  }

  @Test
  void tables_written_at_the_rate_of_messages_are_never_vacuumed() {
    assertThat(
            pg.column(
                "select c.oid::regclass from pg_inherits i join pg_class c on c.oid = i.inhrelid"
                    + " where c.relkind = 'r' and c.relnamespace = "
                    + SCHEMA
                    + " and not coalesce(c.reloptions @> '{autovacuum_enabled=off}', false)"))
        .isEmpty();
  }

  @Test
  void the_marker_of_an_incarnation_is_emptied_by_a_crash() {
    assertThat(
            pg.value(
                "select relpersistence from pg_class"
                    + " where oid = 'millrace.incarnation_marker'::regclass"))
        .isEqualTo("u");
  }

  @Test
  void every_other_table_survives_one() {
    assertThat(
            pg.column(
                "select oid::regclass from pg_class where relkind in ('r', 'p', 'S')"
                    + " and relpersistence <> 'p' and relnamespace = "
                    + SCHEMA))
        .containsExactly("millrace.incarnation_marker");
  }
}
