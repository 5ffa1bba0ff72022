package io.millrace.devstack;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A bundled shell script that fills a folder from this system's packages, by what {@code
 * fetching.sh} offers to all of them.
 *
 * @param resource its name beside this class
 * @param arguments after the folder
 */
record FetchScript(String resource, List<String> arguments) {
  private static final String COMMON = "fetching.sh";
  private static final long LIMIT_MINUTES = 10;

  FetchScript {
    arguments = List.copyOf(arguments);
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
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
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
