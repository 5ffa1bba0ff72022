package io.millrace.fault;

import io.millrace.devstack.KafkaServer;
import io.millrace.devstack.KafkaSpec;
import io.millrace.devstack.PgBouncerServer;
import io.millrace.devstack.PostgresServer;
import io.millrace.devstack.PostgresSpec;
import io.millrace.launcher.AdminPages;
import io.millrace.stress.Brokers;
import io.millrace.stress.Load;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes behind a pooler of few sessions that dies, and before a server that does: behind it nobody
 * sees that a session is another server's life. Writers go past it.
 */
@Tag("any-database")
class PoolerFaultIT {
  private static final Map<String, String> SETTINGS =
      Map.of("default_pool_size", "4", "server_login_retry", "1");

  private static PostgresServer postgres;
  private static PgBouncerServer pooler;
  private static KafkaServer kafka;

  @TempDir Path directory;

  @BeforeAll
  static void startServers() {
    postgres =
        PostgresServer.start(
            PostgresSpec.fromSystemProperty().withSettings(Map.of("max_connections", "60")));
    pooler = PgBouncerServer.start(postgres, SETTINGS);
    kafka = KafkaServer.start(KafkaSpec.defaults());
  }

  @AfterAll
  static void stopServers() {
    kafka.close();
    pooler.close();
    postgres.close();
  }

  private static Map<String, Object> throughThePooler() {
    return Map.of("database.port", pooler.port(), "database.pooler", "transaction");
  }

  @Test
  void the_pooler_and_the_server_behind_it_die_and_nothing_is_lost() throws Exception {
    try (FaultRun run = new FaultRun(postgres, Brokers.of(kafka), directory)) {
      AdminPages pages = run.startHere(throughThePooler()).pages();
      run.startHere(throughThePooler());
      run.startLoad(Load.moderate());

      pooler.kill();
      run.awaitCommits(50);
      pooler.restart();
      run.awaitFlow();

      postgres.kill();
      postgres.restart();
      run.stress().endPrepared();
      run.awaitCommits(50);
      run.awaitFlow();

      pooler.pause();
      pages.awaitReason("relay: ");
      pooler.resume();
      run.awaitFlow();
      pages.awaitReady();
      run.finish();
    }
  }
}
