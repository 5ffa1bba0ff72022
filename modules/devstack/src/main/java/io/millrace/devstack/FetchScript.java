package io.millrace.devstack;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A bundled shell script that fills a folder from this system's packages, by what {@code
 * fetching.sh} offers to all of them.
 *
 * @param resource its name beside this class
 * @param arguments after the folder
 * @param directory where it runs
 * @param environment what it needs beside this process' own
 */
record FetchScript(
    String resource, List<String> arguments, Path directory, Map<String, String> environment) {
  private static final String COMMON = "fetching.sh";
  private static final long LIMIT_MINUTES = 10;

  FetchScript {
    arguments = List.copyOf(arguments);
    environment = Map.copyOf(environment);
  }

  /** In this process' own folder and environment. */
  FetchScript(String resource, List<String> arguments) {
    this(resource, arguments, Path.of("").toAbsolutePath(), Map.of());
  }

  /** The same in another folder, with more in its environment. */
  FetchScript in(Path folder, Map<String, String> more) {
    return new FetchScript(resource, arguments, folder, more);
  }

  /**
   * @throws IOException with what the script says when it cannot
   */
  void run(Path folder) throws IOException {
    Path log = Files.createTempFile("millrace-fetch", ".log");
    List<String> command =
        new ArrayList<>(
            List.of(
                "sh",
                "-c",
                Resources.text(COMMON) + Resources.text(resource),
                resource,
                folder.toString()));
    command.addAll(arguments);
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile());
      builder.environment().putAll(environment);
      Process process = builder.start();
      process.getOutputStream().close();
      if (!process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        throw new IOException("not fetched within " + LIMIT_MINUTES + " min");
      }
      if (process.exitValue() != 0) {
        throw new IOException(String.join("; ", Files.readAllLines(log, StandardCharsets.UTF_8)));
      }
    } catch (InterruptedException e) {
      throw Await.interrupted(e);
    } finally {
      Files.deleteIfExists(log);
    }
  }
}
