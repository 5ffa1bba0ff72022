package io.millrace.bench.harness;

import io.millrace.bench.spi.SubjectProcess;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A subject's process. It ends with its standard input, and so with this process at the latest. */
final class Child implements AutoCloseable {
  private static final long END_WAIT_S = 20;
  private static final int LOG_TAIL_CHARS = 3_000;

  private final String name;
  private final Path log;
  private final Process process;
  private final BufferedWriter in;
  private final BufferedReader out;

  private Child(String name, Path log, Process process) {
    this.name = name;
    this.log = log;
    this.process = process;
    this.in =
        new BufferedWriter(
            new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    this.out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /**
   * @param folder modules/bench, built
   * @param heap as -Xmx takes it
   */
  static Child start(SubjectSpec spec, Path folder, String heap, Site site) {
    Path target = folder.resolve(spec.module()).resolve("target");
    Path classPath = target.resolve("class-path.txt");
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("-Xmx" + heap, "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
    try {
      line.addAll(
          List.of(
              "-cp", target.resolve("classes") + File.pathSeparator + Files.readString(classPath)));
      line.add(spec.mainClass());
      site.arguments().forEach((name, value) -> line.add(name + "=" + value));
      spec.options().forEach((name, value) -> line.add(name + "=" + value));
      Path log = Files.createTempFile("millrace-bench-" + spec.name() + "-", ".log");
      return new Child(
          spec.name(), log, new ProcessBuilder(line).redirectError(log.toFile()).start());
    } catch (IOException e) {
      throw new BenchException("cannot start %s, which needs %s".formatted(spec, classPath), e);
    }
  }

  long pid() {
    return process.pid();
  }

  /**
   * Blocks until the subject has done it.
   *
   * @throws BenchException with the subject's own words if it has failed
   */
  Map<String, String> call(String command, Map<String, ?> arguments) {
    StringBuilder line = new StringBuilder(command);
    arguments.forEach(
        (name, value) ->
            line.append(SubjectProcess.SEPARATOR).append(name).append('=').append(value));
    try {
      in.write(line.append('\n').toString());
      in.flush();
      return answer(command);
    } catch (IOException e) {
      throw failure(command, e.toString());
    }
  }

  Map<String, String> call(String command) {
    return call(command, Map.of());
  }

  private Map<String, String> answer(String command) throws IOException {
    String line = out.readLine();
    if (line == null || line.startsWith(SubjectProcess.FAILED)) {
      throw failure(command, line == null ? "it has ended" : line);
    }
    List<String> words = List.of(line.split("\t"));
    return SubjectProcess.values(words.subList(1, words.size()));
  }

  private BenchException failure(String command, String what) {
    String tail;
    try {
      String all = Files.readString(log, StandardCharsets.ISO_8859_1);
      tail = all.substring(Math.max(0, all.length() - LOG_TAIL_CHARS));
    } catch (IOException e) {
      tail = "(unreadable: " + e + ")";
    }
    return new BenchException("%s, %s: %s%n%s".formatted(name, command, what, tail));
  }

  /** Ends it as kill -9 does. Returns when it is gone. */
  void kill() {
    try {
      process.destroyForcibly().waitFor();
    } catch (InterruptedException e) {
      throw TopicWatch.interrupted(e);
    }
  }

  /** Ends it in order, or after 20 s without. */
  @Override
  public void close() {
    try {
      in.close();
      if (!process.waitFor(END_WAIT_S, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
      Files.deleteIfExists(log);
    } catch (IOException e) {
      process.destroyForcibly();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
