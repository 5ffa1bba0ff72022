package io.millrace.devstack;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One line of the kernel's process table. {@link ProcessHandle} will not do: it takes a zombie for
 * alive, and orphans stay zombies where process 1 does not collect them, as in many containers.
 *
 * @param state the letter of proc(5): T is stopped, Z is a zombie
 * @param startTicks start time in clock ticks since boot; with the id it names a process for good
 */
record ProcessStat(long pid, char state, long parent, long startTicks) {
  private static final int FIELD_STATE = 0;
  private static final int FIELD_PARENT = 1;
  private static final int FIELD_START = 19;

  static Optional<ProcessStat> read(long pid) {
    try {
      String line = Files.readString(Path.of("/proc/" + pid + "/stat"));
      // The command name before the last ')' may itself hold blanks and parentheses.
      String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", FIELD_START + 2);
      return Optional.of(
          new ProcessStat(
              pid,
              fields[FIELD_STATE].charAt(0),
              Long.parseLong(fields[FIELD_PARENT]),
              Long.parseLong(fields[FIELD_START])));
    } catch (IOException e) {
      return Optional.empty(); // it ended, which is an answer
    }
  }

  /** All living descendants of a process, nearest first, as the table shows them now. */
  static List<ProcessStat> descendants(long ancestor) {
    List<ProcessStat> all = readAll();
    Set<Long> members = new HashSet<>(Set.of(ancestor));
    List<ProcessStat> found = new ArrayList<>();
    boolean grown = true;
    while (grown) {
      grown = false;
      for (ProcessStat process : all) {
        if (members.contains(process.parent) && members.add(process.pid)) {
          found.add(process);
          grown = true;
        }
      }
    }
    return found;
  }

  private static List<ProcessStat> readAll() {
    List<ProcessStat> all = new ArrayList<>();
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path folder : folders) {
        read(Long.parseLong(folder.getFileName().toString())).ifPresent(all::add);
      }
    } catch (IOException e) {
      throw new DevStackException("cannot list /proc", e);
    }
    return all;
  }

  /** Whether this very process still exists and is not a zombie. */
  boolean isAlive() {
    return read(pid)
        .filter(now -> now.startTicks == startTicks)
        .filter(now -> now.state != 'Z' && now.state != 'X')
        .isPresent();
  }

  /** Whether SIGSTOP has taken effect, or the process is gone. */
  boolean isStopped() {
    return !isAlive() || read(pid).filter(now -> now.state != 'T').isEmpty();
  }
}
