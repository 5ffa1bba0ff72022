package io.millrace.devstack;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A JVM of the tests' own class path. */
record ChildJvm(Process process, BufferedReader output) implements AutoCloseable {

  static ChildJvm start(Class<?> main, String... arguments) throws IOException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    line.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    return new ChildJvm(process, process.inputReader(StandardCharsets.UTF_8));
  }

  /** All lines up to one that says "ready", or the end. */
  List<String> linesUntilReady() throws IOException {
    List<String> lines = new ArrayList<>();
    for (String line = output.readLine();
        line != null && !line.equals("ready");
        line = output.readLine()) {
      lines.add(line);
    }
    return lines;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
