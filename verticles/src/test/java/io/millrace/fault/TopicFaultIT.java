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
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One of two topics goes bad under load: the other one flows, and the bad one catches up. */
@Tag("any-database")
class TopicFaultIT {
  private static PostgresServer postgres;
  private static KafkaServer kafka;

  @TempDir Path directory;

  @BeforeAll
  static void startServers() {
    postgres = PostgresServer.start(PostgresSpec.fromSystemProperty());
    kafka = KafkaServer.start(KafkaSpec.defaults().withAccessControl());
  }

  @AfterAll
  static void stopServers() {
    kafka.close();
    postgres.close();
  }

  private static Map<String, Object> loggedIn(Map<String, ?> own) {
    Map<String, Object> values = new HashMap<>(own);
    values.put("kafka.properties", kafka.clientSettings());
    return values;
  }

  @Test
  void a_topic_that_may_not_be_written_to_waits_until_it_may_again_and_nothing_else_does()
      throws Exception {
    try (FaultRun run = new FaultRun(postgres, Brokers.of(kafka), directory)) {
      AdminPages pages = run.startHere(loggedIn(Map.of())).pages();
      run.startLoad(Load.moderate());
      String bad = run.stress().topics().get(1);
      kafka.denyWrite(bad);
      await("lanes").atMost(FaultRun.LIMIT).until(() -> lanes(run) > 0);
      run.awaitCommits(300);
      awaitFlowOf(run, run.stress().topics().get(0));
      pages.awaitReady();

      kafka.allowWrite(bad);

      await("no lanes").atMost(FaultRun.LIMIT).until(() -> lanes(run) == 0);
      run.finish();
      assertThat(run.parked()).isZero();
    }
  }

  @Test
  void a_lowered_limit_parks_messages_with_their_followers_until_it_is_raised_and_they_redriven()
      throws Exception {
    try (FaultRun run = new FaultRun(postgres, Brokers.of(kafka), directory)) {
      // Else a follower that is on its way when the limit is raised may overtake.
      run.startHere(loggedIn(Map.of("relay.strict_key_order", true)));
      run.startLoad(Load.moderate());
      String bad = run.stress().topics().get(1);
      kafka.alterTopic(bad, Map.of("max.message.bytes", "100"));
      await("parked").atMost(FaultRun.LIMIT).until(() -> run.parked() > 50);
      awaitFlowOf(run, run.stress().topics().get(0));

      kafka.alterTopic(bad, Map.of("max.message.bytes", "1048588"));
      long newest = run.stress().queryLong("select max(id) from millrace.parked");
      awaitRedriven(run, bad, "id <= " + newest);
      // What keeps coming for a blocked key is parked behind it, faster than a slow machine lets
      // go.
      run.endWriters();
      awaitRedriven(run, bad, "true");
      run.finish();
    }
  }

  private static void awaitRedriven(FaultRun run, String topic, String which) {
    // What is refused while the limit still takes effect needs another redrive.
    await("everything is redriven with " + which)
        .atMost(FaultRun.LIMIT)
        .pollInterval(Duration.ofMillis(500))
        .until(
            () -> {
              run.stress()
                  .queryLong(
                      "select millrace.redrive('test', 'limit raised', p_topic => '%s')"
                          .formatted(topic));
              return run.stress().queryLong("select count(*) from millrace.parked where " + which)
                  == 0;
            });
  }

  private static long lanes(FaultRun run) throws Exception {
    return run.stress().queryLong("select count(*) from millrace.lane");
  }

  /** Waits until the main lanes have passed everything of the topic that is committed by now. */
  private static void awaitFlowOf(FaultRun run, String topic) throws Exception {
    long last =
        run.stress()
            .queryLong("select max(id) from millrace.outbox where topic = '%s'".formatted(topic));
    await("flow of " + topic)
        .atMost(FaultRun.LIMIT)
        .until(
            () ->
                run.stress()
                        .queryLong(
                            "select count(*) from millrace.message where state = 'waiting'"
                                + " and topic = '%s' and id <= %d".formatted(topic, last))
                    == 0);
  }
}
