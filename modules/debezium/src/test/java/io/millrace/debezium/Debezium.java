package io.millrace.debezium;

import io.millrace.devstack.DevStack;
import io.millrace.testkit.NodeProcess;
import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** The connector as shipped, in a process that can be killed and started again. */
final class Debezium implements AutoCloseable {
  /** May read the outbox and replicate, and no more. */
  static final String USER = "debezium";

  /** Must be there where brokers make no topics by themselves. */
  static final String HEARTBEATS = "__debezium-heartbeat.millrace";

  private static final Path SHIPPED = Path.of("../../conf/debezium/millrace-outbox.properties");
  private static final Path ENGINE = Path.of("engine/target");
  private static final String MAIN = "io.millrace.debezium.engine.EngineMain";

  private final Path config;
  private final Path log;
  private NodeProcess process;

  /**
   * Not started.
   *
   * @param directory for its configuration, offsets and log
   */
  Debezium(DevStack stack, String database, Path directory) {
    Properties values = new Properties();
    try (Reader shipped = Files.newBufferedReader(SHIPPED)) {
      values.load(shipped);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    values.putAll(
        Map.of(
            "database.hostname",
            stack.postgres().host(),
            "database.port",
            "" + stack.postgres().port(),
            "database.user",
            USER,
            "database.dbname",
            database));
    values.putAll(
        Map.of(
            // Sooner than shipped, and nothing else of what is shipped: a test waits for it.
            "heartbeat.interval.ms", "500",
            // What a worker of Kafka Connect has besides: where it keeps offsets, and the brokers.
            "offset.storage", "org.apache.kafka.connect.storage.FileOffsetBackingStore",
            "offset.storage.file.filename", directory.resolve("offsets.dat").toString(),
            "offset.flush.interval.ms", "200",
            "engine.bootstrap.servers", stack.kafka().bootstrapServers()));
    config = directory.resolve("connector.properties");
    log = directory.resolve("debezium.log");
    try (Writer file = Files.newBufferedWriter(config)) {
      values.store(file, null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void start() {
    process =
        NodeProcess.startApart(
            classPath(),
            log,
            List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            List.of(MAIN, config.toString()));
  }

  /** The transformation as it is packed, and Debezium with libraries of its own versions. */
  private static List<Path> classPath() {
    List<Path> path =
        new ArrayList<>(List.of(Path.of("target/classes"), ENGINE.resolve("classes")));
    try {
      for (String jar :
          Files.readString(ENGINE.resolve("class-path.txt")).split(File.pathSeparator)) {
        path.add(Path.of(jar));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("modules/debezium/engine is built before its tests run", e);
    }
    return path;
  }

  /** SIGKILL: it confirms nothing any more. */
  void kill() {
    process.kill();
  }

  /** As one stops a connector. */
  void stop() {
    process.terminate();
  }

  /** What went wrong, for a failed test. */
  String log() {
    try {
      String alive = process != null && process.isAlive() ? "running" : "not running";
      return "Debezium is " + alive + ": " + (Files.exists(log) ? Files.readString(log) : "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    if (process != null && process.isAlive()) {
      process.kill();
    }
  }
}
