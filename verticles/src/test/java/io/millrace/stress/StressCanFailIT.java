package io.millrace.stress;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.devstack.KafkaServer;
import io.millrace.devstack.KafkaSpec;
import io.millrace.devstack.PostgresServer;
import io.millrace.devstack.PostgresSpec;
import io.millrace.testkit.Invariant;
import io.millrace.testkit.NoDuplicates;
import io.millrace.testkit.NothingLost;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The test of the stress test: with one rule taken out of the SQL, the same load finds it. The rule
 * that needs three things to meet, a late commit into a slot that is passed and closed, is tested
 * step by step where the slots are emptied.
 */
@Tag("long")
class StressCanFailIT {
  /** Of one round. */
  private static final int TRANSACTIONS = 2_000;

  private static final int ROUNDS_MAX = 25;
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
    Path changed =
        changedStatement(
            "read_onward.sql", "when first_late.xid is null then a.head", "when true then a.head");
    assertThat(violations(new NothingLost(), run -> run.overlay(changed))).isNotEmpty();
  }

  @Test
  void a_relay_that_does_not_ask_what_its_snapshot_saw_is_found_to_repeat_messages()
      throws Exception {
    Path changed =
        changedStatement("read_onward.sql", "and not pg_visible_in_snapshot(o.xid, b.seen)", "");
    assertThat(violations(new NoDuplicates(), run -> run.overlay(changed))).isNotEmpty();
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
    assertThat(violations(new NothingLost(), run -> run.execute(changed))).isNotEmpty();
  }

  /**
   * Loads until the invariant is violated. A quick machine, or a slow one, may need more rounds
   * than another: one that needs more than {@value #ROUNDS_MAX} has not found it.
   */
  private List<String> violations(Invariant invariant, Change change) throws Exception {
    System.out.println("stress that must fail, seed " + SEED);
    try (KafkaServer broker = KafkaServer.start(KafkaSpec.defaults());
        StressRun run = new StressRun(postgres, broker, directory, SEED)) {
      change.apply(run);
      run.startNode(true, true);
      run.startNode(true, true);
      run.awaitNodes();
      List<String> found = List.of();
      for (int round = 1; found.isEmpty() && round <= ROUNDS_MAX; round++) {
        for (Thread writer : run.startWriters(new AtomicInteger(TRANSACTIONS), 3_000)) {
          writer.join();
        }
        run.readJournal();
        run.awaitAllCountAsPublished();
        found = invariant.violations(run.history());
        System.out.printf("round %d: %d violations%n", round, found.size());
      }
      return found;
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
