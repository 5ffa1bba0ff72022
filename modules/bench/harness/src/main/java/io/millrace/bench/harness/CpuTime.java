package io.millrace.bench.harness;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Processor time from proc(5): a process with all that descend from it, those that have ended and
 * were waited for included.
 */
final class CpuTime {
  /** USER_HZ, which the kernel promises to user space on all common architectures. */
  private static final long NANOS_PER_TICK = 10_000_000;

  private static final int FIELD_PARENT = 1;
  private static final int FIELD_TIMES = 11;
  private static final int FIELDS = 16;

  private CpuTime() {}

  private record Line(long pid, long parent, long ticks) {}

  /** Nanoseconds, in steps of 10 ms. */
  static long nanos(long root) {
    Map<Long, Line> all = new HashMap<>();
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path folder : folders) {
        read(Long.parseLong(folder.getFileName().toString()))
            .ifPresent(line -> all.put(line.pid(), line));
      }
    } catch (IOException e) {
      throw new BenchException("cannot list /proc", e);
    }
    return all.values().stream()
            .filter(line -> descends(line, root, all))
            .mapToLong(Line::ticks)
            .sum()
        * NANOS_PER_TICK;
  }

  private static boolean descends(Line line, long root, Map<Long, Line> all) {
    Line at = line;
    while (at != null && at.pid() != root) {
      at = all.get(at.parent());
    }
    return at != null;
  }

  private static Optional<Line> read(long pid) {
    try {
      String text = Files.readString(Path.of("/proc/" + pid + "/stat"));
      // The command name before the last ')' may itself hold blanks and parentheses.
      String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", FIELDS);
      long ticks = 0;
      for (int i = FIELD_TIMES; i < FIELD_TIMES + 4; i++) {
        ticks += Long.parseLong(fields[i]);
      }
      return Optional.of(new Line(pid, Long.parseLong(fields[FIELD_PARENT]), ticks));
    } catch (IOException e) {
      return Optional.empty(); // it has ended
    }
  }
}
