package io.millrace.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.devstack.KafkaServer;
import io.millrace.devstack.KafkaSpec;
import io.millrace.devstack.PostgresServer;
import io.millrace.devstack.PostgresSpec;
import io.millrace.launcher.Stand;
import io.millrace.stress.Brokers;
import io.millrace.stress.Load;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The schema goes ahead of the nodes, which work on and are replaced one by one. */
@Tag("any-database")
class UpgradeIT {
  private static final String LATER = "classpath:io/millrace/fault/later";

  /** A location holds what was run before, too, as a later Millrace would. */
  private static final String BREAKING = "classpath:io/millrace/fault";

  private static PostgresServer postgres;
  private static KafkaServer kafka;

  @TempDir Path directory;

  @BeforeAll
  static void startServers() {
    postgres = PostgresServer.start(PostgresSpec.fromSystemProperty());
    kafka = KafkaServer.start(KafkaSpec.defaults());
  }

  @AfterAll
  static void stopServers() {
    kafka.close();
    postgres.close();
  }

  @Test
  void nodes_work_on_through_a_migrate_and_start_on_the_later_schema_until_it_takes_them_no_more()
      throws Exception {
    try (FaultRun run = new FaultRun(postgres, Brokers.of(kafka), directory)) {
      Stand.Node first = run.startHere(Map.of());
      run.startHere(Map.of());
      run.startLoad(Load.moderate());

      assertThat(run.stress().migrateWith(LATER)).isEqualTo("900");
      run.awaitCommits(50);
      run.awaitFlow();
      first.stop();
      Stand.Node restarted = run.startHere(Map.of());
      run.awaitCommits(50);
      run.awaitFlow();
      restarted.pages().awaitReady();

      assertThat(run.stress().migrateWith(BREAKING)).isEqualTo("901");
      run.awaitCommits(50);
      run.awaitFlow();
      assertThatThrownBy(() -> run.startHere(Map.of()))
          .hasMessageContaining("this node is made for schema version ")
          .hasMessageContaining(
              "the schema is at version 901 and takes nodes made for version 901 or later:"
                  + " install the Millrace that has migrated it");
      run.finish();
      assertThat(run.parked()).isZero();
    }
  }

  @Test
  void a_schema_that_is_older_than_the_node_is_refused_until_it_is_migrated() throws Exception {
    try (FaultRun run = new FaultRun(postgres, Brokers.of(kafka), directory)) {
      String own = "" + run.stress().queryLong("select millrace.schema_version()");
      run.stress()
          .execute(
              "update millrace.schema_history set version = '5' where version::integer = " + own);
      assertThatThrownBy(() -> run.startHere(Map.of()))
          .hasMessageContaining(
              "this node needs schema version " + own + ", the schema is at version ")
          .hasMessageContaining(": run millrace migrate first");

      run.stress().execute("drop function millrace.schema_version");
      assertThatThrownBy(() -> run.startHere(Map.of()))
          .hasMessageContaining(
              "the database has no schema millrace, or an earlier one: run millrace migrate first");
    }
  }
}
