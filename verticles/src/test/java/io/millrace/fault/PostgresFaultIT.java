package io.millrace.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.devstack.KafkaServer;
import io.millrace.devstack.KafkaSpec;
import io.millrace.devstack.PostgresServer;
import io.millrace.devstack.PostgresSpec;
import io.millrace.launcher.AdminPages;
import io.millrace.stress.Brokers;
import io.millrace.stress.Load;
import io.millrace.testkit.FaultProxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The database crashes, refuses, or cannot be reached: that costs delay, and nothing else. */
@Tag("any-database")
class PostgresFaultIT {
  private static final int CRASHES_MAX = 6;
  private static final int MIGRATIONS = 3;
  private static final int CUTS = 40;
  private static final double CUT_GROWTH = 1.25;

  private static PostgresServer postgres;
  private static KafkaServer kafka;

  /** Relays find the server through it, writers and the test past it. */
  private static FaultProxy way;

  @TempDir Path directory;

  @BeforeAll
  static void startServers() throws Exception {
    // What was committed without being waited for is written seldom, so that a crash undoes some.
    postgres =
        PostgresServer.start(
            PostgresSpec.fromSystemProperty()
                .withSettings(
                    Map.of(
                        "wal_writer_delay", "10s",
                        "wal_writer_flush_after", "512MB",
                        "max_connections", "60")));
    way = FaultProxy.to(postgres.host(), postgres.port());
    kafka = KafkaServer.start(KafkaSpec.defaults());
  }

  @AfterAll
  static void stopServers() throws Exception {
    kafka.close();
    way.close();
    postgres.close();
  }

  @AfterEach
  void heal() {
    way.heal();
    if (!postgres.isRunning()) {
      postgres.restart();
    }
  }

  private FaultRun run() throws Exception {
    return new FaultRun(postgres, Brokers.of(kafka), directory);
  }

  private static Map<String, Object> throughTheWay() {
    return Map.of("database.port", way.port());
  }

  /** Every durable commit of the node makes those of the writers before it durable too. */
  private static Map<String, Object> seldomDurable() {
    return Map.of(
        "maintenance.enabled",
        false,
        "node.heartbeat_interval_ms",
        5_000,
        "node.lease_duration_ms",
        20_000);
  }

  @Test
  void crashes_that_undo_commits_harm_no_durable_message() throws Exception {
    try (FaultRun run = run()) {
      AdminPages pages = run.startHere(seldomDurable()).pages();
      run.startLoad(Load.moderate().asynchronous());
      for (int crash = 0; crash < CRASHES_MAX && run.undone() == 0; crash++) {
        postgres.kill();
        postgres.restart();
        run.awaitCommits(50);
      }
      assertThat(run.undone()).as("messages that were delivered and then undone").isPositive();
      pages.awaitReady();
      run.finishDespiteUndone();
    }
  }

  @Test
  void connections_are_cut_everywhere_within_requests_and_answers() throws Exception {
    try (FaultRun run = run()) {
      AdminPages pages = run.startHere(throughTheWay()).pages();
      run.startLoad(Load.moderate());
      Random random = run.random();
      double reach = 1;
      for (int i = 0; i < CUTS; i++) {
        reach = reach * CUT_GROWTH + 1;
        long bytes = 1 + random.nextInt((int) reach);
        long cuts = way.cuts();
        if (i % 3 == 2) {
          way.cutAfterAnswerBytes(bytes);
        } else {
          way.cutAfterBytes(bytes);
        }
        await("a cut after " + bytes).atMost(FaultRun.LIMIT).until(() -> way.cuts() > cuts);
      }
      way.heal();
      run.awaitFlow();
      pages.awaitReady();
      run.finish();
      assertThat(run.parked()).isZero();
    }
  }

  @Test
  void half_open_connections_are_noticed_and_used_again_when_they_heal() throws Exception {
    try (FaultRun run = run()) {
      AdminPages pages = run.startHere(throughTheWay()).pages();
      run.startLoad(Load.moderate());
      pages.awaitReady();
      way.stall();
      // A shard tells of the stall only where it was reading just then, and until it is given up.
      pages.awaitReason("relay: no heartbeat has succeeded");
      run.awaitCommits(100);
      way.heal();

      run.awaitFlow();
      pages.awaitReady();
      run.finish();
    }
  }

  @Test
  void stranded_connections_are_given_up_for_new_ones() throws Exception {
    try (FaultRun run = run()) {
      AdminPages pages = run.startHere(throughTheWay()).pages();
      run.startLoad(Load.moderate());
      pages.awaitReady();
      way.strand();
      run.awaitCommits(100);

      run.awaitFlow();
      pages.awaitReady();
      run.finish();
      // A Vertx that closes waits for the last good-bye of every connection.
      way.heal();
    }
  }

  @Test
  void a_server_without_a_free_connection_is_waited_for() throws Exception {
    try (FaultRun run = run()) {
      AdminPages pages = run.startHere(throughTheWay()).pages();
      run.startLoad(Load.moderate());
      List<Connection> taken = new ArrayList<>();
      try {
        way.cutOnce();
        takeAll(run, taken);
        way.cutOnce();
        takeAll(run, taken);
        pages.awaitReason("relay: ");
      } finally {
        for (Connection connection : taken) {
          connection.close();
        }
      }
      run.awaitCommits(50);
      run.awaitFlow();
      pages.awaitReady();
      run.finish();
      assertThat(run.parked()).isZero();
    }
  }

  /** Takes every connection that can be had, until the server has refused one. */
  private static void takeAll(FaultRun run, List<Connection> taken) throws SQLException {
    try {
      while (true) {
        taken.add(DriverManager.getConnection(run.stress().url()));
      }
    } catch (SQLException e) {
      if (!"53300".equals(e.getSQLState())) {
        throw e;
      }
    }
  }

  @Test
  void every_function_and_view_is_made_anew_under_load() throws Exception {
    try (FaultRun run = run()) {
      AdminPages pages = run.startHere(throughTheWay()).pages();
      run.startLoad(Load.moderate());
      for (int round = 0; round < MIGRATIONS; round++) {
        assertThat(run.stress().migrateAgain()).isPositive();
        run.awaitFlow();
      }
      pages.awaitReady();
      run.finish();
      assertThat(run.parked()).isZero();
    }
  }

  @Test
  void a_server_that_accepts_no_writes_for_a_while_is_waited_for() throws Exception {
    try (FaultRun run = run()) {
      AdminPages pages = run.startHere(throughTheWay()).pages();
      run.startLoad(Load.moderate());
      try {
        run.stress().execute("alter system set default_transaction_read_only = on");
        run.stress().execute("select pg_reload_conf()");
        way.cutOnce();
        pages.awaitReason("relay: ");
      } finally {
        run.stress().execute("alter system reset default_transaction_read_only");
        run.stress().execute("select pg_reload_conf()");
      }
      run.awaitCommits(50);
      run.awaitFlow();
      pages.awaitReady();
      run.finish();
      assertThat(run.parked()).isZero();
    }
  }
}
