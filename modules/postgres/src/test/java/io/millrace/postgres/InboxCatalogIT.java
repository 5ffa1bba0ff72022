package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What exactly-once rests on, read from the catalog. */
class InboxCatalogIT {
  private static final String SCHEMA = "'millrace'::regnamespace";

  @RegisterExtension static final PgFixture pg = PgFixture.sharedByTheClass();

  /** Anything else in it, and the same message could come in twice. */
  @Test
  void what_makes_a_received_message_unique_is_its_bucket_its_consumer_and_its_id() {
    assertThat(
            pg.column(
                "select distinct substring(pg_get_indexdef(x.indexrelid) from '\\(.*') from pg_index x"
                    + " join pg_class c on c.oid = x.indrelid where x.indisunique"
                    + " and (c.relname = 'inbox' or c.relname ~ '^inbox_[0-9]')"))
        .containsExactly("(bucket, consumer, message_id)");
    assertThat(
            pg.column(
                "select pg_get_partkeydef(oid) from pg_class where oid in ('millrace.inbox'::regclass,"
                    + " 'millrace.effect'::regclass)"))
        .containsExactly("LIST (bucket)", "LIST (bucket)");
  }

  @Test
  void no_bucket_is_vacuumed_and_every_page_is_filled() {
    assertThat(
            pg.column(
                "select c.reloptions || t.reloptions from pg_inherits i"
                    + " join pg_class c on c.oid = i.inhrelid"
                    + " join pg_class t on t.oid = c.reltoastrelid where i.inhparent in"
                    + " ('millrace.inbox'::regclass, 'millrace.effect'::regclass)"))
        .hasSize(2 * (PgFixture.RETENTION_BUCKETS + 1 + PgFixture.BUCKETS_AHEAD))
        .containsOnly("{autovacuum_enabled=off,fillfactor=100,autovacuum_enabled=off}");
  }

  @Test
  void a_consumer_writes_nothing_but_through_functions() {
    assertThat(
            pg.column(
                "select oid::regclass from pg_class where relkind in ('r', 'p', 'v') and relnamespace = "
                    + SCHEMA
                    + " and (has_table_privilege('millrace_inbox', oid, 'insert, update, delete, truncate, trigger')"
                    + " or has_any_column_privilege('millrace_inbox', oid, 'insert, update'))"))
        .isEmpty();
    assertThat(
            pg.column(
                "select seqrelid::regclass from pg_sequence"
                    + " where has_sequence_privilege('millrace_inbox', seqrelid, 'usage, update')"))
        .isEmpty();
    assertThat(
            pg.column(
                "select proname from pg_proc where pronamespace = "
                    + SCHEMA
                    + " and provolatile = 'v' and has_function_privilege('millrace_inbox', oid,"
                    + " 'execute') order by 1"))
        .containsExactly(
            "apply_once",
            "effect_begin",
            "effect_finish",
            "inbox_advance",
            "inbox_claim",
            "inbox_park",
            "inbox_restart");
  }
}
