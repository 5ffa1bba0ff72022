package io.millrace.example.payment.check;

import io.millrace.example.payment.ConsumerNode;
import io.millrace.example.payment.NodeCounts;
import io.millrace.testkit.NodeProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The consumer processes. Each has a place; a process that ends is followed by another one. */
final class NodeFleet implements AutoCloseable {
  private static final List<String> JVM_OPTIONS =
      List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  /** Changing the number of stripes with the owner is allowed, and repeats deliveries. */
  private static final int[] STRIPES = {1, 3, 2};

  private final String nodeClass;
  private final Path config;
  private final Path directory;
  private final List<NodeProcess> nodes = new ArrayList<>();
  private final List<Path> logs = new ArrayList<>();
  private NodeCounts ended = NodeCounts.NONE;
  private int started;

  NodeFleet(String nodeClass, Path config, Path directory) {
    this.nodeClass = nodeClass;
    this.config = config;
    this.directory = directory;
  }

  void start(int count) {
    for (int place = 0; place < count; place++) {
      logs.add(nextLog());
      nodes.add(process(place));
    }
  }

  private Path nextLog() {
    return directory.resolve("node-" + ++started + ".log");
  }

  private NodeProcess process(int place) {
    String stripes = Integer.toString(STRIPES[place % STRIPES.length]);
    return NodeProcess.start(
        List.of(), logs.get(place), JVM_OPTIONS, List.of(nodeClass, config.toString(), stripes));
  }

  int size() {
    return nodes.size();
  }

  /** Whether the process has said that it works. */
  boolean isRunning(int place) {
    return read(logs.get(place)).contains(ConsumerNode.RUNS);
  }

  /** Whether the process has told that it booked something. */
  boolean hasBooked(int place) {
    return NodeCounts.lastIn(read(logs.get(place))).applied() > 0;
  }

  /** SIGKILL, and a new process in its place. */
  void kill(int place) {
    nodes.get(place).kill();
    follow(place);
  }

  /** SIGTERM: what is in flight is settled; then a new process in its place. */
  void stop(int place) {
    nodes.get(place).terminate();
    follow(place);
  }

  private void follow(int place) {
    ended = ended.plus(NodeCounts.lastIn(read(logs.get(place))));
    logs.set(place, nextLog());
    nodes.set(place, process(place));
  }

  /** SIGSTOP: it does not know that time goes on. */
  void freeze(int place) {
    signal("STOP", nodes.get(place));
  }

  /** SIGCONT: it goes on where it was, and believes what it believed. */
  void thaw(int place) {
    signal("CONT", nodes.get(place));
  }

  private static void signal(String name, NodeProcess node) {
    try {
      new ProcessBuilder("kill", "-" + name, Long.toString(node.pid())).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** What all processes have told so far; a killed one has not told its last ones. */
  NodeCounts counts() {
    NodeCounts sum = ended;
    for (Path log : logs) {
      sum = sum.plus(NodeCounts.lastIn(read(log)));
    }
    return sum;
  }

  private static String read(Path log) {
    try {
      return Files.exists(log) ? Files.readString(log) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    nodes.forEach(NodeProcess::close);
  }
}
