package io.millrace.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.devstack.KafkaCluster;
import io.millrace.devstack.PostgresServer;
import io.millrace.devstack.PostgresSpec;
import io.millrace.stress.Brokers;
import io.millrace.stress.Load;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A topic that lacks replicas while the brokers work is told from brokers that are away. */
@Tag("any-database")
class StalledTopicFaultIT {
  @TempDir Path directory;

  @Test
  void a_topic_without_enough_replicas_gets_lanes_while_the_other_flows_and_catches_up()
      throws Exception {
    try (PostgresServer postgres = PostgresServer.start(PostgresSpec.fromSystemProperty());
        KafkaCluster cluster = KafkaCluster.start(Map.of());
        FaultRun run = new FaultRun(postgres, needingAll(cluster), directory)) {
      run.startHere(Map.of("relay.topic_stall_after_ms", 1_000, "relay.settle_timeout_ms", 500));
      run.startLoad(Load.moderate());
      String bad = run.stress().topics().get(1);
      cluster.broker(2).kill();
      await("lanes")
          .atMost(FaultRun.LIMIT)
          .until(() -> run.stress().queryLong("select count(*) from millrace.lane") > 0);
      assertThat(run.stress().queryLong("select count(distinct topic) from millrace.lane"))
          .isEqualTo(1);
      assertThat(
              run.stress()
                  .queryLong(
                      "select count(*) from millrace.lane where topic = '%s' and reason like '%%in-sync%%'"
                          .formatted(bad)))
          .isPositive();
      run.awaitCommits(200);

      cluster.broker(2).restart();

      await("no lanes")
          .atMost(FaultRun.LIMIT)
          .until(() -> run.stress().queryLong("select count(*) from millrace.lane") == 0);
      run.finish();
      assertThat(run.parked()).isZero();
    }
  }

  /** The odd topic takes records only while all three brokers have them. */
  private static Brokers needingAll(KafkaCluster cluster) {
    return new Brokers(
        cluster.bootstrapServers(),
        cluster.bootstrapServers(),
        (topic, partitions) ->
            cluster.createTopic(
                topic,
                partitions,
                Map.of("min.insync.replicas", topic.endsWith("odd") ? "3" : "2")));
  }
}
