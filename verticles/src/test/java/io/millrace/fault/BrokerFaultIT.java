package io.millrace.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.devstack.FreePorts;
import io.millrace.devstack.KafkaCluster;
import io.millrace.devstack.KafkaServer;
import io.millrace.devstack.KafkaSpec;
import io.millrace.devstack.PostgresServer;
import io.millrace.devstack.PostgresSpec;
import io.millrace.launcher.AdminPages;
import io.millrace.stress.Brokers;
import io.millrace.stress.Load;
import io.millrace.testkit.FaultProxy;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The brokers go away, or the way to them: that costs delay, and nothing else. */
@Tag("any-database")
class BrokerFaultIT {
  private static final int CUTS = 24;
  private static final int BYTES_BETWEEN_CUTS_MAX = 30_000;

  private static PostgresServer postgres;
  private static KafkaServer kafka;

  /** Relays find the broker through it, the test past it. */
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
    if (!kafka.isRunning()) {
      kafka.restart();
    }
  }

  private FaultRun run() throws Exception {
    return new FaultRun(postgres, Brokers.of(kafka), directory);
  }

  @Test
  void a_killed_broker_turns_readiness_red_and_parks_nothing() throws Exception {
    try (FaultRun run = run()) {
      AdminPages pages = run.startHere(Map.of()).pages();
      run.startLoad(Load.moderate());
      pages.awaitReady();
      kafka.kill();
      pages.awaitReason("relay: shard ");
      run.awaitCommits(100);
      kafka.restart();

      run.awaitFlow();
      pages.awaitReady();
      run.finish();
      assertThat(run.parked()).isZero();
    }
  }

  @Test
  void the_loss_of_one_broker_of_three_stops_nothing() throws Exception {
    try (KafkaCluster cluster = KafkaCluster.start(Map.of());
        FaultRun run = new FaultRun(postgres, Brokers.of(cluster), directory)) {
      AdminPages pages = run.startHere(Map.of()).pages();
      run.startLoad(Load.moderate());
      cluster.broker(0).kill();
      run.awaitCommits(200);

      run.awaitFlow();
      assertThat(cluster.broker(0).isRunning()).isFalse();
      pages.awaitReady();
      cluster.broker(0).restart();
      run.finish();
      assertThat(run.parked()).isZero();
    }
  }

  @Test
  void connections_are_cut_within_requests_and_within_answers() throws Exception {
    try (FaultRun run = run()) {
      AdminPages pages = run.startHere(Map.of()).pages();
      run.startLoad(Load.moderate());
      Random random = run.random();
      for (int i = 0; i < CUTS; i++) {
        long cuts = way.cuts();
        if (random.nextInt(3) == 0) {
          way.cutAfterAnswerBytes(1 + random.nextInt(BYTES_BETWEEN_CUTS_MAX / 20));
        } else {
          way.cutAfterBytes(1 + random.nextInt(BYTES_BETWEEN_CUTS_MAX));
        }
        await("a cut").atMost(FaultRun.LIMIT).until(() -> way.cuts() > cuts);
      }
      way.heal();
      run.awaitFlow();
      pages.awaitReady();
      run.finish();
      assertThat(run.parked()).isZero();
    }
  }

  @Test
  void a_broker_that_is_cut_off_for_a_while_is_found_again() throws Exception {
    try (FaultRun run = run()) {
      AdminPages pages = run.startHere(Map.of()).pages();
      run.startLoad(Load.moderate());
      way.cut();
      pages.awaitReason("relay: shard ");
      way.heal();

      run.awaitFlow();
      pages.awaitReady();
      run.finish();
      assertThat(run.parked()).isZero();
    }
  }

  @Test
  void a_half_open_connection_holds_back_and_loses_nothing() throws Exception {
    try (FaultRun run = run()) {
      AdminPages pages =
          run.startHere(Map.of("kafka.properties", Map.of("request.timeout.ms", "2000"))).pages();
      run.startLoad(Load.moderate());
      int connections = way.connections();
      way.stall();
      pages.awaitReason("relay: shard ");
      await("a connection instead of a given up one")
          .atMost(FaultRun.LIMIT)
          .until(() -> way.connections() > connections);
      way.heal();

      run.awaitFlow();
      pages.awaitReady();
      run.finish();
      assertThat(run.parked()).isZero();
    }
  }

  @Test
  void stranded_connections_are_given_up_for_new_ones() throws Exception {
    try (FaultRun run = run()) {
      AdminPages pages =
          run.startHere(Map.of("kafka.properties", Map.of("request.timeout.ms", "2000"))).pages();
      run.startLoad(Load.moderate());
      way.strand();
      run.awaitCommits(100);

      run.awaitFlow();
      pages.awaitReady();
      run.finish();
      assertThat(run.parked()).isZero();
    }
  }
}
