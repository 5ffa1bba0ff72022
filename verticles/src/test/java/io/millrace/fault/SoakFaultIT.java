package io.millrace.fault;

import io.millrace.devstack.FreePorts;
import io.millrace.devstack.KafkaServer;
import io.millrace.devstack.KafkaSpec;
import io.millrace.devstack.PostgresServer;
import io.millrace.devstack.PostgresSpec;
import io.millrace.stress.Brokers;
import io.millrace.stress.Load;
import io.millrace.testkit.FaultProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random schedules of faults. {@code ./millrace soak --minutes N --seed S} runs one of them for
 * long.
 */
@Tag("any-database")
class SoakFaultIT {
  private static final int SEEDS = 1;
  private static final Duration DURATION =
      Duration.ofSeconds(Long.getLong("millrace.soak.seconds", 30));

  @TempDir Path directory;

  static LongStream seeds() {
    Long given = Long.getLong("millrace.soak.seed");
    return given == null ? new Random().longs(SEEDS) : LongStream.of(given);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everything_committed_arrives_in_order_whatever_fails_in_whatever_order(long seed)
      throws Exception {
    int kafkaPort = FreePorts.pick();
    try (PostgresServer postgres = PostgresServer.start(PostgresSpec.fromSystemProperty());
        FaultProxy toPostgres = FaultProxy.to("127.0.0.1", postgres.port());
        FaultProxy toKafka = FaultProxy.to("127.0.0.1", kafkaPort);
        KafkaServer kafka =
            KafkaServer.start(
                KafkaSpec.defaults()
                    .withPort(kafkaPort)
                    .withAdvertisedPort(toKafka.port())
                    .withAccessControl());
        FaultRun run = new FaultRun(postgres, Brokers.of(kafka), directory, seed)) {
      FaultSchedule schedule =
          new FaultSchedule(run, new FaultSchedule.Servers(postgres, kafka, toPostgres, toKafka));
      schedule.startNodes();
      run.startLoad(Load.moderate());
      schedule.run(DURATION);
      run.finish();
    }
  }
}
