package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.cursor.ReadBounds;
import io.millrace.core.cursor.ReadResult;
import io.millrace.core.cursor.Scope;
import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.message.Header;
import io.millrace.core.message.OutboxMessage;
import io.millrace.core.message.Payload;
import io.millrace.port.LoadedCursor;
import io.millrace.port.Receipt;
import io.vertx.core.Future;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The transaction of a pass, and what becomes of a row on the way. */
class OutboxPassIT {
  private static final ReadBounds BOUNDS = new ReadBounds(100, 1_000_000, 100_000);
  private static final int SHARD = 0;
  private static final String A = PgFixture.aggregate(SHARD, 0);

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private PgDatabase database;
  private PgOutboxStore store;
  private LoadedCursor loaded;

  @BeforeEach
  void openTheStore() {
    database = pg.pool();
    store = new PgOutboxStore(database);
    loaded = PgFixture.await(new PgReceiptStore(database).load(SHARD, Receipt.MAIN_LANE));
  }

  private Future<ReadResult> read() {
    return store.read(SHARD, Scope.ALL, loaded.cursor().nextRead(BOUNDS), BOUNDS);
  }

  /** Lets every pass report its transaction's settings instead of the incarnation. */
  private void reportSettings() {
    pg.execute(
        """
        create or replace function millrace.incarnation() returns text
          language sql stable parallel restricted
          as $$ select current_setting('transaction_isolation')
                       || ', read only ' || current_setting('transaction_read_only')
                       || ', sequential scans ' || current_setting('enable_seqscan') $$
        """);
  }

  @Test
  void a_pass_is_a_repeatable_read_transaction_also_when_its_statement_is_not_prepared_yet() {
    reportSettings();
    String inPass = "repeatable read, read only on, sequential scans off";
    PgOutboxStore fresh = new PgOutboxStore(pg.pool());

    for (int pass = 0; pass < 5; pass++) {
      ReadResult result =
          PgFixture.await(fresh.read(SHARD, Scope.ALL, loaded.cursor().nextRead(BOUNDS), BOUNDS));
      assertThat(result.incarnation().text()).as("pass %d", pass).isEqualTo(inPass);
    }
  }

  @Test
  void passes_at_the_same_time_on_new_connections_are_each_in_their_own_transaction() {
    reportSettings();
    PgOutboxStore fresh = new PgOutboxStore(pg.pool());
    List<Future<ReadResult>> passes = new ArrayList<>();
    for (int pass = 0; pass < 60; pass++) {
      passes.add(
          fresh.read(pass % PgFixture.SHARDS, Scope.ALL, loaded.cursor().nextRead(BOUNDS), BOUNDS));
    }

    for (Future<ReadResult> pass : passes) {
      assertThat(PgFixture.await(pass).incarnation().text()).startsWith("repeatable read,");
    }
  }

  @Test
  void the_transaction_ends_with_the_pass() {
    reportSettings();
    PgFixture.await(read());

    assertThat(PgFixture.await(store.position()).incarnation().text())
        .isEqualTo("read committed, read only off, sequential scans on");
    assertThat(
            pg.value(
                "select count(*) from pg_stat_activity where datname = current_database()"
                    + " and usename = 'node' and state <> 'idle'"))
        .isEqualTo("0");
  }

  @Test
  void a_pass_that_fails_leaves_its_connection_usable() {
    PgFixture.await(read());
    pg.execute("alter function millrace.incarnation() rename to incarnation_kept");
    for (int pass = 0; pass < 40; pass++) {
      assertThatThrownBy(() -> PgFixture.await(read()))
          .isInstanceOfSatisfying(
              Failure.class, f -> assertThat(f.kind()).isEqualTo(FailureKind.BROKEN));
    }
    pg.execute("alter function millrace.incarnation_kept() rename to incarnation");

    assertThat(PgFixture.await(read()).incarnation()).isEqualTo(loaded.incarnation());
  }

  @Test
  void a_row_arrives_as_it_was_appended() throws SQLException {
    Connection writer = pg.connect(PgFixture.APPLICATION);
    Instant before = Instant.now().minus(1, ChronoUnit.SECONDS);
    String id = "Straße 7, \uD83D\uDE9A 東京";
    int shard = ShardHash.of("Auftrag", id, PgFixture.SHARDS);
    PgFixture.execute(
        writer,
        """
        select millrace.append('orders.v1', 'Auftrag', '%s', 'bezahlt', '\\x00ff7b'::bytea,
          revision => 7, message_key => 'Schlüssel', schema_version => '2',
          content_type => 'application/octet-stream',
          headers => array['trace', 'ä', 'trace', '', 'empty', ''], resolver => 'lookup')
        """
            .formatted(id));

    OutboxMessage message =
        PgFixture.await(store.read(shard, Scope.ALL, loaded.cursor().nextRead(BOUNDS), BOUNDS))
            .messages()
            .get(0);

    assertThat(message.aggregateType()).isEqualTo("Auftrag");
    assertThat(message.aggregateId()).isEqualTo(id);
    assertThat(message.shard()).isEqualTo(shard);
    assertThat(message.revision()).isEqualTo(7);
    assertThat(message.topic()).isEqualTo("orders.v1");
    assertThat(message.recordKey()).isEqualTo("Schlüssel");
    assertThat(message.eventType()).isEqualTo("bezahlt");
    assertThat(message.schemaVersion()).isEqualTo("2");
    assertThat(message.contentType()).isEqualTo("application/octet-stream");
    assertThat(message.resolver()).isEqualTo("lookup");
    assertThat(message.payload()).isEqualTo(Payload.of(new byte[] {0, (byte) 0xff, 0x7b}));
    assertThat(message.headers())
        .containsExactly(
            new Header("trace", "ä"), new Header("trace", ""), new Header("empty", ""));
    assertThat(message.createdAt()).isBetween(before, Instant.now().plusSeconds(1));
    assertThat(message.messageId().version()).isEqualTo(7);
    assertThat(message.bytes()).isEqualTo(100 + 3 + utf8(id) + utf8("Schlüssel") + 17);
  }

  private static int utf8(String text) {
    return Payload.of(text).size();
  }

  @Test
  void a_tombstone_and_an_empty_payload_are_different_and_what_is_absent_stays_absent()
      throws SQLException {
    Connection writer = pg.connect(PgFixture.APPLICATION);
    PgFixture.execute(
        writer, "select millrace.append('orders', 'order', '%s', 'gone', null)".formatted(A));
    PgFixture.execute(
        writer, "select millrace.append('orders', 'order', '%s', 'empty', '')".formatted(A));

    List<OutboxMessage> messages = PgFixture.await(read()).messages();

    assertThat(messages.get(0).payload()).isNull();
    assertThat(messages.get(1).payload()).isEqualTo(Payload.of(new byte[0]));
    OutboxMessage message = messages.get(0);
    assertThat(message.revision()).isNull();
    assertThat(message.messageKey()).isNull();
    assertThat(message.recordKey()).isEqualTo(A);
    assertThat(message.schemaVersion()).isNull();
    assertThat(message.resolver()).isNull();
    assertThat(message.headers()).isEmpty();
  }
}
