package io.millrace.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The command line in a process of its own, which ends when the thread that started it does. What
 * it writes is in one file.
 */
final class MainProcess implements AutoCloseable {
  private final Process process;
  private final Path output;

  private MainProcess(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  static MainProcess start(Path output, String... arguments) throws IOException {
    return start(output, Map.of(), List.of(), arguments);
  }

  /** With variables added to its environment, and options for its JVM. */
  static MainProcess start(
      Path output, Map<String, String> environment, List<String> jvmOptions, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(List.of("setpriv", "--pdeathsig", "KILL"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(jvmOptions);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add("io.millrace.launcher.Main");
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().putAll(environment);
    return new MainProcess(builder.start(), output);
  }

  String output() throws IOException {
    return Files.readString(output);
  }

  List<String> lines() throws IOException {
    return Files.readAllLines(output);
  }

  /** SIGTERM. */
  void terminate() {
    process.destroy();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Waits for the end. */
  int exitCode() throws InterruptedException {
    if (!process.waitFor(Stand.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("process " + process.pid() + " has not ended within " + Stand.LIMIT);
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
