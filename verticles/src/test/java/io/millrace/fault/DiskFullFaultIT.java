package io.millrace.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.devstack.KafkaServer;
import io.millrace.devstack.KafkaSpec;
import io.millrace.devstack.PostgresServer;
import io.millrace.devstack.PostgresSpec;
import io.millrace.stress.Brokers;
import io.millrace.stress.Load;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The database's disk is full, really: its data lies on a small file system of its own. Mounting
 * one needs root, and without it this test fails.
 */
@Tag("long")
@Tag("any-database")
class DiskFullFaultIT {
  private static final String SIZE = "400m";
  private static final int MEGABYTE = 1 << 20;

  @TempDir Path directory;

  private Path disk;

  @BeforeEach
  void mount() throws Exception {
    disk = Files.createDirectory(directory.resolve("disk"));
    Files.createDirectory(directory.resolve("nodes"));
    run("mount", "-t", "tmpfs", "-o", "size=" + SIZE + ",mode=777", "tmpfs", disk.toString());
  }

  @AfterEach
  void unmount() throws Exception {
    run("umount", disk.toString());
  }

  @Test
  void a_full_disk_refuses_writers_and_when_there_is_space_again_nothing_is_lost()
      throws Exception {
    PostgresSpec spec =
        PostgresSpec.fromSystemProperty()
            .withDataDirectory(disk.resolve("postgres"))
            .withSettings(Map.of("max_wal_size", "64MB", "min_wal_size", "32MB"));
    try (PostgresServer postgres = PostgresServer.start(spec);
        KafkaServer kafka = KafkaServer.start(KafkaSpec.defaults());
        FaultRun run = new FaultRun(postgres, Brokers.of(kafka), directory.resolve("nodes"))) {
      run.startProcess(Map.of()).awaitRunning();
      run.startLoad(Load.moderate());
      Path ballast = disk.resolve("ballast");
      fill(ballast);
      awaitRefusal(postgres);
      run.pace(Duration.ofSeconds(3));
      Files.delete(ballast);
      if (!postgres.isRunning()) {
        System.out.println("the server had ended");
        postgres.restart();
      }
      run.stress().endPrepared();

      run.awaitCommits(100);
      run.awaitFlow();
      assertThat(run.parked()).isZero();
      run.finish();
    }
  }

  /** Until nothing more can be written. */
  private static void fill(Path ballast) throws IOException {
    byte[] zeros = new byte[MEGABYTE];
    try (OutputStream out = Files.newOutputStream(ballast)) {
      while (true) {
        out.write(zeros);
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space left");
    }
  }

  /** In the log, whichever statement it hit. */
  private static void awaitRefusal(PostgresServer postgres) {
    await("no space left for the server")
        .atMost(FaultRun.LIMIT)
        .until(() -> Files.readString(postgres.logFile()).contains("No space left on device"));
  }

  private static void run(String... command) throws Exception {
    Process process = new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue())
        .as(
            "%s (needs root): %s",
            String.join(" ", command), new String(process.getInputStream().readAllBytes()))
        .isZero();
  }
}
