package io.millrace.devstack;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server and its children seen as one thing that can be started, ended and paused.
 *
 * <p>States: down, running, paused. Blocking and thread-safe, one operation at a time.
 */
final class ServerProcess implements ServerControl {
  static final Duration START_LIMIT = Duration.ofMinutes(3);
  static final Duration STOP_LIMIT = Duration.ofSeconds(10);
  static final Duration SIGNAL_LIMIT = Duration.ofSeconds(30);

  static final int LOG_TAIL_CHARS = 4_000;
  private static final Logger LOG = LoggerFactory.getLogger(ServerProcess.class);

  private final String name;
  private final ServerCommand command;
  private final Watchdog watchdog;
  private @Nullable ProcessStat server;

  ServerProcess(String name, ServerCommand command) {
    this.name = name;
    this.command = command;
    this.watchdog = Watchdog.open(command);
  }

  @Override
  public synchronized void start(BooleanSupplier ready) {
    if (isRunning()) {
      throw new DevStackException(name + " is already running with process id " + pid());
    }
    long begun = System.nanoTime();
    long pid = watchdog.start();
    server = ProcessStat.read(pid).orElseThrow(() -> failure("exited at once"));
    boolean[] answers = new boolean[1];
    Await.until(
        START_LIMIT,
        () -> {
          answers[0] = isRunning() && ready.getAsBoolean();
          return answers[0] || !isRunning();
        });
    if (!isRunning()) {
      throw failure("exited with status " + watchdog.exitStatus().orElseThrow());
    }
    if (!answers[0]) {
      throw failure("does not answer after " + START_LIMIT.toSeconds() + " s");
    }
    LOG.info(
        "{} started, process id {}, {} ms", name, pid, (System.nanoTime() - begun) / 1_000_000);
  }

  @Override
  public synchronized long pid() {
    if (server == null) {
      throw new DevStackException(name + " was never started");
    }
    return server.pid();
  }

  @Override
  public synchronized boolean wasStarted() {
    return server != null;
  }

  @Override
  public boolean isTemporary() {
    return command.temporary();
  }

  @Override
  public boolean isRunning() {
    return watchdog.exitStatus().isEmpty();
  }

  @Override
  public synchronized void kill() {
    if (!isRunning()) {
      return;
    }
    List<ProcessStat> family = freezeFamily();
    watchdog.signal("KILL", pids(family));
    await(SIGNAL_LIMIT, "SIGKILL", () -> family.stream().noneMatch(ProcessStat::isAlive));
    if (!watchdog.awaitExit(SIGNAL_LIMIT)) {
      throw failure("was killed but its watchdog has not noticed");
    }
  }

  @Override
  public synchronized void stop(List<String> signals) {
    if (!isRunning()) {
      return;
    }
    resume();
    for (String signal : signals) {
      watchdog.signal(signal, List.of(pid()));
      if (watchdog.awaitExit(STOP_LIMIT)) {
        return;
      }
      LOG.warn("{} has not ended {} s after SIG{}", name, STOP_LIMIT.toSeconds(), signal);
    }
    kill();
  }

  @Override
  public synchronized void pause() {
    requireRunning("pause");
    freezeFamily();
  }

  @Override
  public synchronized void resume() {
    requireRunning("resume");
    List<ProcessStat> family = ProcessStat.descendants(pid());
    watchdog.signal("CONT", pids(family));
    watchdog.signal("CONT", List.of(pid()));
  }

  /** The parent first: once it stands still it has no new children. */
  private List<ProcessStat> freezeFamily() {
    if (server == null) {
      throw new DevStackException(name + " was never started");
    }
    List<ProcessStat> family = new ArrayList<>(List.of(server));
    stopAll(family);
    family.addAll(ProcessStat.descendants(server.pid()));
    stopAll(family);
    return family;
  }

  private void stopAll(List<ProcessStat> processes) {
    watchdog.signal("STOP", pids(processes));
    await(SIGNAL_LIMIT, "SIGSTOP", () -> processes.stream().allMatch(ProcessStat::isStopped));
  }

  private void await(Duration limit, String cause, BooleanSupplier condition) {
    if (!Await.until(limit, condition)) {
      throw failure(
          "has processes without effect of %s after %d s".formatted(cause, limit.toSeconds()));
    }
  }

  private static List<Long> pids(Collection<ProcessStat> processes) {
    return processes.stream().map(ProcessStat::pid).toList();
  }

  private void requireRunning(String operation) {
    if (!isRunning()) {
      throw new DevStackException("cannot " + operation + " " + name + ": it is not running");
    }
  }

  private DevStackException failure(String what) {
    return new DevStackException(
        "%s %s; the end of %s:%n%s".formatted(name, what, command.log(), logTail()));
  }

  private String logTail() {
    try {
      String log = Files.readString(command.log(), StandardCharsets.ISO_8859_1);
      return log.substring(Math.max(0, log.length() - LOG_TAIL_CHARS));
    } catch (IOException e) {
      return "(unreadable: " + e + ")";
    }
  }

  @Override
  public synchronized void close() {
    watchdog.close();
  }
}
