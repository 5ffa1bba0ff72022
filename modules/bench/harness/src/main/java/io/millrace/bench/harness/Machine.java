package io.millrace.bench.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What a run ran on. */
record Machine(String processor, int processors, long memoryGib, String system, String java) {
  private static final String UNKNOWN = "unknown processor";

  static Machine read() {
    return new Machine(
        first("/proc/cpuinfo", "model name"),
        Runtime.getRuntime().availableProcessors(),
        memory(),
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        System.getProperty("java.version"));
  }

  private static long memory() {
    String total = first("/proc/meminfo", "MemTotal").replaceAll("[^0-9]", "");
    return total.isEmpty() ? 0 : Long.parseLong(total) >> 20;
  }

  private static String first(String file, String key) {
    try (Stream<String> lines = Files.lines(Path.of(file))) {
      return lines
          .filter(line -> line.startsWith(key))
          .map(line -> line.substring(line.indexOf(':') + 1).trim())
          .findFirst()
          .orElse(UNKNOWN);
    } catch (IOException e) {
      return UNKNOWN;
    }
  }

  String text() {
    return "%s, %d processors, %d GiB, %s, Java %s"
        .formatted(processor, processors, memoryGib, system, java);
  }
}
