package io.millrace.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.devstack.FreePorts;
import io.millrace.devstack.KafkaServer;
import io.millrace.devstack.KafkaSpec;
import io.millrace.devstack.PostgresServer;
import io.millrace.devstack.PostgresSpec;
import io.millrace.launcher.Stand;
import io.millrace.stress.Brokers;
import io.millrace.stress.Load;
import io.millrace.stress.StressNode;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Invariant;
import io.millrace.testkit.NoDuplicates;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes die, freeze, come and go: a shard has one owner, and first occurrences stay in order. */
@Tag("any-database")
class OwnershipFaultIT {
  private static final int SHARDS = 8;
  private static final long LEASE_MS = 2_000;
  private static final long HEARTBEAT_MS = 300;

  /**
   * The lease and a claim interval, and as much again several times over: a busy machine is slow,
   * and a broken take-over never comes.
   */
  private static final Duration TAKEOVER_LIMIT = Duration.ofMillis(10 * (LEASE_MS + HEARTBEAT_MS));

  private static PostgresServer postgres;
  private static KafkaServer kafka;

  /** Those nodes find the broker through it that are not told to find it past it. */
  private static FaultProxy way;

  @TempDir Path directory;

  @BeforeAll
  static void startServers() throws Exception {
    postgres = PostgresServer.start(PostgresSpec.fromSystemProperty());
    int port = FreePorts.pick();
    way = FaultProxy.to("127.0.0.1", port);
    kafka = KafkaServer.start(KafkaSpec.defaults().withPort(port).withAdvertisedPort(way.port()));
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
  }

  private FaultRun run() throws Exception {
    return new FaultRun(postgres, Brokers.of(kafka), directory);
  }

  private static Map<String, Object> node(boolean relays, boolean maintains) {
    Map<String, Object> values = new HashMap<>();
    values.put("node.lease_duration_ms", LEASE_MS);
    values.put("node.heartbeat_interval_ms", HEARTBEAT_MS);
    // Nothing is wrong with the database here, but a cold node on a busy machine takes its time.
    values.put("database.pool_wait_ms_max", 60_000);
    values.put("database.connect_timeout_ms", 60_000);
    values.put("relay.enabled", relays);
    values.put("maintenance.enabled", maintains);
    return values;
  }

  /** Where a lease that is lost, or a statement that is given up, on a busy machine counts. */
  private static Map<String, Object> patientNode(boolean maintains) {
    Map<String, Object> values = node(true, maintains);
    values.put("node.lease_duration_ms", 30_000);
    values.put("database.statement_timeout_ms", 30_000);
    return values;
  }

  private static Map<String, Object> relayPastTheWay() {
    Map<String, Object> values = node(true, false);
    values.put("kafka.bootstrap_servers", kafka.internalBootstrapServers());
    return values;
  }

  private static long ownedBy(FaultRun run, String node) throws SQLException {
    return run.stress()
        .queryLong(
            "select count(*) from millrace.shard s join millrace.node n on n.node = s.owner "
                + "where n.name = '"
                + node
                + "'");
  }

  private static void awaitOwned(FaultRun run, String node, Duration limit, long count) {
    await(count + " shards of " + node)
        .atMost(limit)
        .pollInterval(Duration.ofMillis(50))
        .until(() -> ownedBy(run, node) == count);
  }

  /** How often a shard has changed its owner: each change has an epoch of its own. */
  private static long moves(FaultRun run) throws SQLException {
    return run.stress().queryLong("select sum(epoch) from millrace.shard");
  }

  @Test
  void the_shards_of_a_killed_relay_are_taken_over_within_the_lease() throws Exception {
    try (FaultRun run = run()) {
      StressNode victim = run.startProcess(node(true, true));
      victim.awaitRunning();
      Stand.Node heir = run.startHere(node(true, true));
      run.startLoad(Load.moderate());
      awaitOwned(run, victim.name(), FaultRun.LIMIT, SHARDS / 2);
      victim.process().kill();

      awaitOwned(run, heir.name(), TAKEOVER_LIMIT, SHARDS);
      run.awaitFlow();
      heir.pages().awaitReady();
      run.finish();
    }
  }

  @Test
  void a_zombie_that_wakes_up_with_records_in_its_hand_disturbs_no_order() throws Exception {
    try (FaultRun run = run()) {
      StressNode zombie = run.startProcess(node(true, true));
      zombie.awaitRunning();
      run.startLoad(Load.moderate());
      awaitOwned(run, zombie.name(), FaultRun.LIMIT, SHARDS);
      way.stall();
      run.awaitCommits(200); // some of which the zombie has handed over to its producer
      zombie.process().suspend();
      Stand.Node heir = run.startHere(relayPastTheWay());
      awaitOwned(run, heir.name(), FaultRun.LIMIT, SHARDS);
      run.awaitFlow();
      way.heal();
      zombie.process().resume();

      await("what the zombie had in its hand")
          .atMost(FaultRun.LIMIT)
          .until(() -> run.stress().history().duplicates() > 0);
      awaitOwned(run, zombie.name(), FaultRun.LIMIT, SHARDS / 2);
      run.finish();
    }
  }

  @Test
  void a_rolling_restart_repeats_nothing() throws Exception {
    try (FaultRun run = run()) {
      List<StressNode> nodes = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        nodes.add(run.startProcess(patientNode(true)));
      }
      for (StressNode node : nodes) {
        node.awaitRunning();
      }
      run.startLoad(Load.moderate());
      for (StressNode old : nodes) {
        run.startHere(patientNode(true));
        old.process().terminate();
        run.awaitFlow();
      }
      List<Invariant> invariants = new ArrayList<>(Invariant.always());
      invariants.add(new NoDuplicates());
      run.finish(invariants);
    }
  }

  @Test
  void shards_spread_evenly_and_move_no_more_than_needed() throws Exception {
    try (FaultRun run = run()) {
      Stand.Node first = run.startHere(patientNode(true));
      awaitOwned(run, first.name(), FaultRun.LIMIT, SHARDS);
      assertThat(moves(run)).isEqualTo(SHARDS);
      run.startLoad(Load.moderate());
      Stand.Node second = run.startHere(patientNode(false));
      awaitOwned(run, second.name(), FaultRun.LIMIT, SHARDS / 2);
      assertThat(moves(run)).isEqualTo(SHARDS + 4);
      Stand.Node third = run.startHere(patientNode(false));
      awaitOwned(run, third.name(), FaultRun.LIMIT, 2);
      assertThat(moves(run)).isEqualTo(SHARDS + 4 + 2);
      third.stop();

      await("the shards of a node that has left")
          .atMost(FaultRun.LIMIT)
          .until(() -> ownedBy(run, first.name()) == 4 && ownedBy(run, second.name()) == 4);
      assertThat(moves(run)).isEqualTo(SHARDS + 4 + 2 + 2);
      run.finish();
    }
  }

  @Test
  void a_maintenance_node_that_freezes_within_a_turn_is_replaced_and_comes_back() throws Exception {
    try (FaultRun run = run()) {
      StressNode frozen = run.startProcess(node(false, true));
      frozen.awaitRunning();
      Stand.Node heir = run.startHere(node(true, true));
      run.startLoad(Load.moderate());
      awaitMaintainer(run, frozen.name());
      letTurnsLinger(run);
      await("a turn under way").atMost(FaultRun.LIMIT).until(() -> turnsUnderWay(run) == 1);
      frozen.process().suspend();
      run.stress().execute("drop trigger linger on millrace.slot");

      awaitMaintainer(run, heir.name());
      long truncations = run.stress().truncations();
      awaitTruncations(run, truncations + 3);
      frozen.process().resume();
      awaitTruncations(run, truncations + 6);
      heir.pages().awaitReady();
      frozen.pages().awaitReady();
      run.finish();
    }
  }

  /** Within the fenced transaction that turns the ring, and after the new slot was chosen. */
  private static void letTurnsLinger(FaultRun run) throws SQLException {
    run.stress()
        .execute(
            "create function stress.linger() returns trigger language plpgsql as $$ begin "
                + "perform pg_sleep(0.5); return null; end $$",
            "create trigger linger after update on millrace.slot for each row "
                + "when (new.state = 'hot' and old.state = 'next') execute function stress.linger()");
  }

  private static long turnsUnderWay(FaultRun run) throws SQLException {
    return run.stress()
        .queryLong(
            "select count(*) from pg_stat_activity where query like '%ring_turn%' "
                + "and wait_event = 'PgSleep' and datname = current_database()");
  }

  private static void awaitMaintainer(FaultRun run, String node) {
    await("maintenance by " + node)
        .atMost(FaultRun.LIMIT)
        .until(
            () ->
                run.stress()
                        .queryLong(
                            "select count(*) from millrace.maintenance m "
                                + "join millrace.node n on n.node = m.owner where n.name = '"
                                + node
                                + "'")
                    == 1);
  }

  private static void awaitTruncations(FaultRun run, long count) {
    await(count + " truncations")
        .atMost(FaultRun.LIMIT)
        .until(() -> run.stress().truncations() >= count);
  }
}
