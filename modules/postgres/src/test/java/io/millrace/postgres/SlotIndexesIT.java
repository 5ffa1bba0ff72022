package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Indexes of slots are built, repaired and dropped, whatever others are doing. */
class SlotIndexesIT {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int SLOTS = 5;
  private static final SlotIndex BY_TIME = new SlotIndex("by_time", "using btree (created_at)");
  private static final String MAKE_PARENT =
      "create index outbox_by_time on only millrace.outbox using btree (created_at)";

  /** Slots that have a valid index of this name attached. */
  private static final String ATTACHED =
      "select s.relname from pg_inherits a join pg_index i on i.indexrelid = a.inhrelid"
          + " join pg_class s on s.oid = i.indrelid"
          + " where i.indisvalid and a.inhparent = to_regclass('millrace.outbox_by_time') order by 1";

  private static final String INVALID =
      "select indexrelid::regclass from pg_index where not indisvalid order by 1";

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private final ExecutorService threads = Executors.newFixedThreadPool(2);
  private Connection writer;

  @BeforeEach
  void fillTheRing() throws SQLException {
    for (int slot = PgFixture.SLOTS; slot < SLOTS; slot++) {
      pg.execute(
          "call millrace.create_slot_table(%d)".formatted(slot),
          "insert into millrace.slot (slot, state) values (%d, 'free')".formatted(slot));
    }
    pg.execute(
        "insert into millrace.outbox (slot, aggregate_type, aggregate_id, topic, event_type)"
            + " select n %% %d, 'order', 'o' || n, 't', 'e' from generate_series(1, 1000) n"
                .formatted(SLOTS));
    writer = pg.connect(PgFixture.APPLICATION);
    writer.setAutoCommit(false);
  }

  @AfterEach
  void stopTheThreads() {
    threads.shutdownNow();
  }

  private SchemaMigration migration(SlotIndex... additional) {
    List<SlotIndex> indexes = new ArrayList<>(SlotIndex.declared());
    indexes.addAll(List.of(additional));
    return new SchemaMigration(
        pg.login(),
        PgFixture.layout(PgFixture.SHARDS, PgFixture.PAYLOAD_BYTES_MAX, PgFixture.SLOTS),
        List.of(),
        indexes);
  }

  private Future<Integer> start(SlotIndex... additional) {
    return threads.submit(() -> migration(additional).migrate().indexes());
  }

  /** Within the limit: what waits for ever is an error, and ends with its database. */
  private int changes(SlotIndex... additional) throws Exception {
    try {
      return end(start(additional));
    } catch (ExecutionException e) {
      throw e.getCause() instanceof MigrationException known ? known : e;
    }
  }

  private static final String BUILDING_PID =
      "select pid from pg_stat_progress_create_index where phase like '%s%%'";

  private static final String BUILDING = BUILDING_PID.formatted("waiting for");

  /** Runs while a transaction that has written to the hot slot is open: its index has to wait. */
  private Future<Integer> startAndWaitUntilItWaits() throws SQLException {
    // Beforehand: the lock for the outbox's own index is not to be had beside an open writer.
    pg.execute(MAKE_PARENT);
    PgFixture.append(writer, "a1");
    return startAndAwait("waiting for writers before build");
  }

  private Future<Integer> startAndAwait(String phase) {
    Future<Integer> running = start(BY_TIME);
    await("a build that is " + phase)
        .atMost(LIMIT)
        .until(() -> running.isDone() || pg.value(BUILDING_PID.formatted(phase)) != null);
    assertThat(running.isDone()).isFalse();
    return running;
  }

  private static int end(Future<Integer> running) throws Exception {
    return running.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  private void assertComplete(int slots) {
    assertThat(pg.column(ATTACHED)).hasSize(slots);
    assertThat(pg.column(INVALID)).isEmpty();
  }

  @Test
  void a_new_index_is_built_on_every_slot_and_is_valid_then() throws Exception {
    assertThat(changes(BY_TIME)).isEqualTo(SLOTS);

    assertComplete(SLOTS);
    assertThat(changes(BY_TIME)).as("a second run").isZero();
  }

  @Test
  void a_slot_that_is_attached_meanwhile_brings_its_own() throws Exception {
    pg.execute(MAKE_PARENT, "call millrace.create_slot_table(9)");
    assertThat(pg.column(ATTACHED)).containsExactly("outbox_slot_9");

    assertThat(changes(BY_TIME)).isEqualTo(SLOTS);

    assertComplete(SLOTS + 1);
    pg.execute("call millrace.create_slot_table(10)");
    assertComplete(SLOTS + 2);
  }

  @Test
  void what_is_not_declared_any_more_goes_and_what_others_have_made_stays() throws Exception {
    pg.execute("create index outbox_mine on millrace.outbox (topic)");
    changes(BY_TIME);
    pg.execute("create index outbox_slot_1_mine on millrace.outbox_slot_1 (message_id)");

    assertThat(changes()).isEqualTo(1);

    assertThat(pg.value("select to_regclass('millrace.outbox_by_time')")).isNull();
    assertThat(pg.value("select to_regclass('millrace.outbox_mine')")).isNotNull();
    assertThat(pg.value("select to_regclass('millrace.outbox_slot_1_mine')")).isNotNull();
    assertThat(pg.value("select to_regclass('millrace.outbox_shard_id')")).isNotNull();
  }

  @Test
  void what_an_interrupted_run_has_built_and_not_attached_is_used_or_goes() throws Exception {
    String built =
        "create index outbox_slot_1_by_time on millrace.outbox_slot_1 using btree (created_at)";
    pg.execute(
        MAKE_PARENT,
        "comment on index millrace.outbox_by_time is 'Millrace: on every slot'",
        built);
    String oid = pg.value("select 'millrace.outbox_slot_1_by_time'::regclass::oid");

    assertThat(changes(BY_TIME)).isEqualTo(SLOTS);
    assertComplete(SLOTS);
    assertThat(pg.value("select 'millrace.outbox_slot_1_by_time'::regclass::oid")).isEqualTo(oid);

    pg.execute(
        "drop index millrace.outbox_by_time",
        MAKE_PARENT,
        "comment on index millrace.outbox_by_time is 'Millrace: on every slot'",
        built);
    assertThat(changes()).isEqualTo(1);
    assertThat(pg.value("select to_regclass('millrace.outbox_slot_1_by_time')")).isNull();
  }

  @Test
  void another_index_of_the_same_name_is_refused() throws Exception {
    pg.execute("create index outbox_by_time on millrace.outbox (topic)");

    assertThatThrownBy(() -> changes(BY_TIME))
        .isInstanceOf(MigrationException.class)
        .hasMessageContaining("outbox_by_time that is not \"using btree (created_at)\"");
  }

  @Test
  void a_build_that_was_killed_leaves_an_invalid_index_which_the_next_run_builds_anew()
      throws Exception {
    Future<Integer> running = startAndWaitUntilItWaits();
    pg.execute("select pg_terminate_backend(pid) from (" + BUILDING + ") p");
    assertThat(running)
        .failsWithin(LIMIT)
        .withThrowableThat()
        .withMessageContaining("migrate was interrupted");
    assertThat(pg.column(INVALID))
        .containsExactly("millrace.outbox_by_time", "millrace.outbox_slot_0_by_time");
    writer.commit();

    assertThat(changes(BY_TIME)).as("one dropped, all built").isEqualTo(1 + SLOTS);

    assertComplete(SLOTS);
  }

  @Test
  void what_a_killed_reindex_leaves_goes() throws Exception {
    PgFixture.append(writer, "a1");
    Connection other = pg.connect(PgFixture.OPERATOR);
    Future<?> running =
        threads.submit(
            () -> {
              PgFixture.execute(
                  other, "reindex index concurrently millrace.outbox_slot_0_shard_id");
              return null;
            });
    await("a reindex that waits").atMost(LIMIT).until(() -> pg.value(BUILDING) != null);
    assertThat(changes()).as("it is still being built").isZero();
    pg.execute("select pg_terminate_backend(pid) from (" + BUILDING + ") p");
    assertThat(running).failsWithin(LIMIT);
    writer.commit();
    assertThat(pg.column(INVALID)).containsExactly("millrace.outbox_slot_0_shard_id_ccnew");

    assertThat(changes()).isEqualTo(1);

    assertThat(pg.column(INVALID)).isEmpty();
  }

  @Test
  void an_invalid_index_that_somebody_has_attached_is_built_anew_in_its_place() throws Exception {
    Future<Integer> running = startAndWaitUntilItWaits();
    pg.execute("select pg_terminate_backend(pid) from (" + BUILDING + ") p");
    assertThat(running).failsWithin(LIMIT);
    writer.commit();
    pg.execute(
        "alter index millrace.outbox_by_time attach partition millrace.outbox_slot_0_by_time");

    assertThat(changes(BY_TIME)).isEqualTo(1 + SLOTS - 1);

    assertComplete(SLOTS);
  }

  @Test
  void a_slot_that_goes_while_indexes_are_built_is_passed_over() throws Exception {
    Connection reader = pg.connect(PgFixture.OPERATOR);
    reader.setAutoCommit(false);
    reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    PgFixture.value(reader, "select 1");
    Future<Integer> running = startAndAwait("waiting for old snapshots");
    pg.execute(
        "alter table millrace.outbox detach partition millrace.outbox_slot_2",
        "drop table millrace.outbox_slot_2");
    reader.commit();

    assertThat(end(running)).isEqualTo(SLOTS - 1);
    assertComplete(SLOTS - 1);
  }

  @Test
  void a_second_run_is_refused_while_one_is_running() throws Exception {
    Future<Integer> running = startAndWaitUntilItWaits();

    assertThatThrownBy(() -> changes(BY_TIME))
        .isInstanceOf(MigrationException.class)
        .hasMessageContaining("another migrate of this database is running");

    writer.commit();
    assertThat(end(running)).isEqualTo(SLOTS);
  }

  @Test
  void a_migration_may_follow_another_at_once() throws SQLException {
    Connection next = pg.connect(PgFixture.OPERATOR);
    for (int i = 0; i < 50; i++) {
      MigrationSession session = MigrationSession.begin(next);
      next = pg.connect(PgFixture.OPERATOR);
      session.close();
    }
  }

  @Test
  void a_lock_that_cannot_be_had_is_given_up_and_who_may_be_in_the_way_is_named()
      throws SQLException {
    PgFixture.append(writer, "a1");
    String pid = PgFixture.value(writer, "select pg_backend_pid()");

    try (MigrationSession session = MigrationSession.begin(pg.connect(PgFixture.OPERATOR), 3)) {
      assertThatThrownBy(() -> session.executeShortly(MAKE_PARENT))
          .isInstanceOf(MigrationException.class)
          .hasMessageContaining("was tried 3 times and had its lock within 5 ms never")
          .hasMessageContaining("process " + pid + " of " + PgFixture.APPLICATION);
    }
  }
}
