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

  private static final String WORKER = "org.apache.kafka.connect.cli.ConnectStandalone";

  private final List<String> mainAndArguments;
  private final Path log;
  private NodeProcess process;

  private Debezium(List<String> mainAndArguments, Path log) {
    this.mainAndArguments = mainAndArguments;
    this.log = log;
  }

  /**
   * In Debezium's embedded engine. Not started.
   *
   * @param directory for its configuration, offsets and log
   */
  static Debezium inEngine(DevStack stack, String database, Path directory) {
    Properties values = connector(stack, database);
    values.setProperty("offset.storage", "org.apache.kafka.connect.storage.FileOffsetBackingStore");
    values.putAll(offsets(directory));
    values.setProperty("engine.bootstrap.servers", stack.kafka().bootstrapServers());
    Path file = written(values, directory.resolve("connector.properties"));
    return new Debezium(List.of(MAIN, file.toString()), directory.resolve("debezium.log"));
  }

  /**
   * In a worker of Kafka Connect, a standalone one. Not started.
   *
   * @param directory for its configuration, offsets and log
   */
  static Debezium inConnect(DevStack stack, String database, Path directory) {
    Properties values = new Properties();
    values.putAll(offsets(directory));
    values.putAll(
        Map.of(
            "bootstrap.servers", stack.kafka().bootstrapServers(),
            "listeners", "http://127.0.0.1:0",
            // Of connectors that name none.
            "key.converter", "org.apache.kafka.connect.json.JsonConverter",
            "value.converter", "org.apache.kafka.connect.json.JsonConverter"));
    Path worker = written(values, directory.resolve("worker.properties"));
    Path file = written(connector(stack, database), directory.resolve("connector.properties"));
    return new Debezium(
        List.of(WORKER, worker.toString(), file.toString()), directory.resolve("debezium.log"));
  }

  /** As shipped, but for what is marked there as the user's. */
  private static Properties connector(DevStack stack, String database) {
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
            database,
            // Sooner than shipped: a test waits for it.
            "heartbeat.interval.ms",
            "500"));
    return values;
  }

  private static Map<String, String> offsets(Path directory) {
    return Map.of(
        "offset.storage.file.filename",
        directory.resolve("offsets.dat").toString(),
        "offset.flush.interval.ms",
        "200");
  }

  private static Path written(Properties values, Path path) {
    try (Writer file = Files.newBufferedWriter(path)) {
      values.store(file, null);
      return path;
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
            mainAndArguments);
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
