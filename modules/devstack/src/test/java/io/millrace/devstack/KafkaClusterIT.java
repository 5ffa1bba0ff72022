package io.millrace.devstack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KafkaClusterIT {
  private static final String TOPIC = "events";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Test
  void any_one_broker_can_be_killed_and_comes_back_with_everything() throws Exception {
    try (KafkaCluster cluster = KafkaCluster.start(Map.of())) {
      cluster.createTopic(TOPIC, 1, Map.of());
      await().atMost(LIMIT).until(() -> cluster.replicasInSync(TOPIC) == 3);
      for (int victim = 0; victim < KafkaCluster.BROKERS; victim++) {
        cluster.broker(victim).kill();
        Records.sendPatiently(cluster.bootstrapServers(), TOPIC, "without " + victim);
        cluster.broker(victim).restart();
        await().atMost(LIMIT).until(() -> cluster.replicasInSync(TOPIC) == 3);
      }
      assertThat(Records.read(cluster.bootstrapServers(), TOPIC, 3))
          .containsExactly("without 0", "without 1", "without 2");
    }
  }

  @Test
  void a_setting_that_kafka_refuses_is_named() {
    assertThatThrownBy(() -> KafkaCluster.start(Map.of("num.io.threads", "0")))
        .isInstanceOf(DevStackException.class)
        .hasStackTraceContaining("num.io.threads");
  }
}
