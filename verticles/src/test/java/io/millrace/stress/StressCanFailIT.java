package io.millrace.stress;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.devstack.KafkaServer;
import io.millrace.devstack.KafkaSpec;
import io.millrace.devstack.PostgresServer;
import io.millrace.devstack.PostgresSpec;
import io.millrace.testkit.History;
import io.millrace.testkit.NoDuplicates;
import io.millrace.testkit.NothingLost;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The test of the stress test: with one rule taken out of the SQL, the same load finds it. */
class StressCanFailIT {
  private static final int TRANSACTIONS = 5_000;
  private static final long SEED = 7;
  private static final String RESOURCES = "io/millrace/postgres/";

  private static PostgresServer postgres;

  @TempDir Path directory;

  @BeforeAll
  static void startServers() {
    postgres = PostgresServer.start(PostgresSpec.fromSystemProperty());
  }

  @AfterAll
  static void stopServers() {
    postgres.close();
  }

  /** A run with something changed before its nodes start. */
  private interface Change {
    void apply(StressRun run) throws Exception;
  }

  @Test
  void a_relay_that_skips_late_rows_is_found_to_lose_messages() throws Exception {
    assertThat(
            new NothingLost()
                .violations(
                    runWith(
                        run ->
                            run.overlay(
                                changedStatement(
                                    "read_onward.sql",
                                    "when f.xid is null then $3::bigint",
                                    "when true then $3::bigint")))))
        .isNotEmpty();
  }

  @Test
  void a_relay_that_does_not_ask_what_its_snapshot_saw_is_found_to_repeat_messages()
      throws Exception {
    assertThat(
            new NoDuplicates()
                .violations(
                    runWith(
                        run ->
                            run.overlay(
                                changedStatement(
                                    "read_onward.sql",
                                    "and not pg_visible_in_snapshot(o.xid, (select s.snap from seen s))",
                                    "")))))
        .isNotEmpty();
  }

  /**
   * The receipt's transaction has an xid before it reads the sequence, as one that parks messages
   * does.
   */
  @Test
  void a_receipt_that_reads_the_sequence_itself_is_found_to_lose_messages() throws Exception {
    String function = resource("schema/schema/R__record_receipt.sql");
    String changed =
        replaced(
            replaced(
                function,
                "  set local synchronous_commit = off;",
                "  set local synchronous_commit = off; perform pg_current_xact_id(); perform pg_sleep(0.02);"),
            "p_sweep_position, p_sweep_end, p_seq_before,",
            "p_sweep_position, p_sweep_end, pg_sequence_last_value('millrace.outbox_id'),");
    assertThat(new NothingLost().violations(runWith(run -> run.execute(changed)))).isNotEmpty();
  }

  /**
   * What the cursor has not seen is what a transaction committed late, after its slot was passed.
   * The relays look seldom, so that the truncation comes first.
   */
  @Test
  void a_truncate_that_does_not_ask_what_the_cursor_saw_is_found_to_lose_messages()
      throws Exception {
    String function = resource("schema/partitioning/R__slot_unpublished.sql");
    String changed =
        replaced(
            function,
            "where not pg_visible_in_snapshot(o.xid, c.seen) limit 1",
            "where false limit 1");
    History history =
        runWith(
            run -> {
              run.execute(changed);
              run.pollEvery(400);
            });
    assertThat(new NothingLost().violations(history)).isNotEmpty();
  }

  private History runWith(Change change) throws Exception {
    System.out.println("stress that must fail, seed " + SEED);
    try (KafkaServer broker = KafkaServer.start(KafkaSpec.defaults());
        StressRun run = new StressRun(postgres, broker, directory, SEED)) {
      change.apply(run);
      run.startNode(true, true);
      run.startNode(true, true);
      run.awaitNodes();
      for (Thread writer : run.startWriters(new AtomicInteger(TRANSACTIONS), 3_000)) {
        writer.join();
      }
      run.readJournal();
      run.awaitQuiet(Duration.ofSeconds(5));
      return run.history();
    }
  }

  private Path changedStatement(String name, String from, String to) throws IOException {
    Path overlay = directory.resolve("overlay");
    Path file = overlay.resolve(RESOURCES + "statement/" + name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, replaced(resource("statement/" + name), from, to));
    return overlay;
  }

  private static String replaced(String text, String from, String to) {
    assertThat(text).contains(from);
    return text.replace(from, to);
  }

  private static String resource(String name) throws IOException {
    try (InputStream in =
        StressCanFailIT.class.getClassLoader().getResourceAsStream(RESOURCES + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
