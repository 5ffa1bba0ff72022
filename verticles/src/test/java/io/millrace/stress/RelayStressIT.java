package io.millrace.stress;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.devstack.KafkaServer;
import io.millrace.devstack.KafkaSpec;
import io.millrace.devstack.PostgresServer;
import io.millrace.devstack.PostgresSpec;
import io.millrace.testkit.Invariant;
import io.millrace.testkit.NoDuplicates;
import io.millrace.testkit.NodeProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The heart of the tests: many transactions of every kind, several relay nodes, and a ring that
 * turns, grows and is truncated all the time. {@code -Dmillrace.stress.seed=N} repeats a run,
 * {@code -Dmillrace.stress.transactions=N} sets its size.
 */
class RelayStressIT {
  private static final int TRANSACTIONS =
      Integer.getInteger("millrace.stress.transactions", 10_000);
  private static final int TRUNCATIONS_MIN = Math.max(1, TRANSACTIONS / 400);
  private static final int ROUNDS_MAX = 10;
  private static final int RELAYS = 3;
  private static final long PATIENT_LEASE_MS = 30_000;

  @TempDir Path directory;

  static LongStream seeds() {
    Long given = Long.getLong("millrace.stress.seed");
    return LongStream.of(given == null ? new Random().nextLong() : given);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everything_committed_arrives_once_and_in_order_while_the_ring_turns(long seed)
      throws Exception {
    System.out.println("stress without crashes, seed " + seed);
    try (PostgresServer postgres = PostgresServer.start(PostgresSpec.fromSystemProperty());
        KafkaServer kafka = KafkaServer.start(KafkaSpec.defaults());
        StressRun run = new StressRun(postgres, kafka, directory, seed)) {
      // A lease that is lost on a busy machine would repeat messages.
      run.startNode(false, true, PATIENT_LEASE_MS);
      for (int i = 0; i < RELAYS; i++) {
        run.startNode(true, false, PATIENT_LEASE_MS);
      }
      run.awaitNodes();
      loadUntilTruncated(run, () -> runWriters(run));
      List<Invariant> invariants = new ArrayList<>(Invariant.always());
      invariants.add(new NoDuplicates());
      run.check(invariants);
      report(run);
      assertThat(run.truncations()).isGreaterThanOrEqualTo(TRUNCATIONS_MIN);
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void nothing_is_lost_or_reordered_when_relays_are_killed_and_the_server_crashes(long seed)
      throws Exception {
    System.out.println("stress with crashes, seed " + seed);
    Random random = new Random(seed);
    try (PostgresServer postgres = PostgresServer.start(PostgresSpec.fromSystemProperty());
        KafkaServer kafka = KafkaServer.start(KafkaSpec.defaults());
        StressRun run = new StressRun(postgres, kafka, directory, seed)) {
      List<NodeProcess> relays = new ArrayList<>();
      for (int i = 0; i < RELAYS; i++) {
        relays.add(run.startNode(true, true));
      }
      run.awaitNodes();
      Trouble trouble = new Trouble(run, postgres, relays, random);
      loadUntilTruncated(run, trouble::runWriters);
      run.check(Invariant.always());
      report(run);
      assertThat(trouble.hasCrashed).as("the server has crashed in the middle").isTrue();
      assertThat(run.truncations()).isGreaterThanOrEqualTo(TRUNCATIONS_MIN);
    }
  }

  /** Some writers, from their start to their end. */
  private interface Load {
    void run() throws Exception;
  }

  /**
   * On a quick machine the writers are done before the ring, which turns by the clock, has gone
   * round often enough: then they write more.
   */
  private static void loadUntilTruncated(StressRun run, Load load) throws Exception {
    int rounds = 0;
    do {
      load.run();
      run.readJournal();
      run.awaitDrained();
    } while (run.truncations() < TRUNCATIONS_MIN && ++rounds < ROUNDS_MAX);
  }

  private static void runWriters(StressRun run) throws InterruptedException {
    for (Thread writer : run.startWriters(new AtomicInteger(TRANSACTIONS), 6_000)) {
      writer.join();
    }
  }

  /** Kills a relay every few seconds while writers write, and once, halfway, the server. */
  private static final class Trouble {
    private final StressRun run;
    private final PostgresServer postgres;
    private final List<NodeProcess> relays;
    private final Random random;
    private boolean hasCrashed;

    Trouble(StressRun run, PostgresServer postgres, List<NodeProcess> relays, Random random) {
      this.run = run;
      this.postgres = postgres;
      this.relays = relays;
      this.random = random;
    }

    void runWriters() throws Exception {
      AtomicInteger remaining = new AtomicInteger(TRANSACTIONS);
      List<Thread> writers = run.startWriters(remaining, 6_000);
      while (writers.stream().anyMatch(Thread::isAlive)) {
        awaitNext(writers, remaining);
        int victim = random.nextInt(RELAYS);
        relays.get(victim).kill();
        relays.set(victim, run.startNode(true, true));
        if (isTimeToCrash(remaining)) {
          hasCrashed = true;
          postgres.kill();
          postgres.restart();
          run.endPrepared();
        }
        restartTheDead();
      }
    }

    private boolean isTimeToCrash(AtomicInteger remaining) {
      return !hasCrashed && remaining.get() < TRANSACTIONS / 2;
    }

    /** The pace of the kills, not a wait for anything. The crash comes while there are writers. */
    private void awaitNext(List<Thread> writers, AtomicInteger remaining)
        throws InterruptedException {
      long end = System.nanoTime() + (5_000 + random.nextInt(5_000)) * 1_000_000L;
      for (Thread writer : writers) {
        while (writer.isAlive() && !isTimeToCrash(remaining) && System.nanoTime() < end) {
          writer.join(20);
        }
      }
    }

    /** A node that starts while there is no server refuses to, and ends. */
    private void restartTheDead() {
      for (int i = 0; i < RELAYS; i++) {
        if (!relays.get(i).isAlive()) {
          relays.set(i, run.startNode(true, true));
        }
      }
    }
  }

  private static void report(StressRun run) throws Exception {
    System.out.printf(
        "committed %,d, delivered %,d, duplicates %,d, truncations %,d, slots %,d%n",
        run.history().committed().size(),
        run.history().delivered().size(),
        run.history().duplicates(),
        run.truncations(),
        run.queryLong("select count(*) from millrace.slot"));
  }
}
