package io.millrace.testkit;

import static java.util.stream.Collectors.joining;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * A Java program in a process of its own, to be killed. It ends with this process too, however that
 * ends: a shell waits at the other end of a pipe.
 */
public final class NodeProcess implements AutoCloseable {
  /** Starts the program, tells its process id, and kills it when standard input ends. */
  private static final String WATCH =
      """
      log=$1; shift
      exec 3<&0
      "$@" >>"$log" 2>&1 </dev/null 3<&- &
      program=$!
      echo $program
      exec 1>&-
      (read -r ignored <&3; kill -9 $program) 2>/dev/null &
      watch=$!
      exec 3<&-
      wait $program
      code=$?
      kill $watch 2>/dev/null
      exit $code
      """;

  private static final long END_WAIT_S = 60;
  private static final long SIGNAL_WAIT_MS = 10_000;
  private static final long POLL_MS = 2;

  private final Process shell;
  private final long pid;

  private NodeProcess(Process shell, long pid) {
    this.shell = shell;
    this.pid = pid;
  }

  /**
   * Starts a main class.
   *
   * @param classPath put before this process's own class path
   * @param log where its output goes
   */
  public static NodeProcess start(
      List<Path> classPath, Path log, List<String> jvmOptions, List<String> mainAndArguments) {
    List<Path> path = new ArrayList<>(classPath);
    for (String entry :
        System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator), -1)) {
      path.add(Path.of(entry));
    }
    return startApart(path, log, jvmOptions, mainAndArguments);
  }

  /**
   * Starts a main class that shares no libraries with this process.
   *
   * @param classPath all of it
   * @param log where its output goes
   */
  public static NodeProcess startApart(
      List<Path> classPath, Path log, List<String> jvmOptions, List<String> mainAndArguments) {
    List<String> command =
        new ArrayList<>(List.of("setsid", "sh", "-c", WATCH, "watch", log.toString()));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.add("-cp");
    command.add(classPath.stream().map(Path::toString).collect(joining(File.pathSeparator)));
    command.addAll(mainAndArguments);
    try {
      Process shell =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      BufferedReader out =
          new BufferedReader(new InputStreamReader(shell.getInputStream(), StandardCharsets.UTF_8));
      return new NodeProcess(shell, Long.parseLong(out.readLine()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public long pid() {
    return pid;
  }

  public boolean isAlive() {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }

  /** SIGKILL: no hook runs, nothing is settled. */
  public void kill() {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    awaitEnd();
  }

  /** SIGTERM, and waits until the program has ended by itself. */
  public void terminate() {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroy);
    awaitEnd();
  }

  /**
   * SIGSTOP: the program stands still with all it holds, its connections stay open. Returns when it
   * does. It can be killed in this state, but not terminated.
   */
  public void suspend() {
    signal("-STOP");
    awaitSuspended();
  }

  /** SIGCONT: the program goes on as if no time had passed. */
  public void resume() {
    signal("-CONT");
  }

  private void signal(String signal) {
    try {
      Process kill =
          new ProcessBuilder("kill", signal, String.valueOf(pid))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!kill.waitFor(SIGNAL_WAIT_MS, TimeUnit.MILLISECONDS) || kill.exitValue() != 0) {
        throw new IllegalStateException("process " + pid + " did not take SIG" + signal);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw interrupted("being signalled", e);
    }
  }

  /** The kernel stops the threads of a program one by one; only then is its state "T". */
  private void awaitSuspended() {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SIGNAL_WAIT_MS);
    try {
      while (!Files.readString(Path.of("/proc/" + pid + "/stat")).contains(") T ")) {
        if (System.nanoTime() - deadline > 0) {
          throw new IllegalStateException("process " + pid + " is not suspended");
        }
        TimeUnit.MILLISECONDS.sleep(POLL_MS);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw interrupted("being suspended", e);
    }
  }

  private IllegalStateException interrupted(String doing, InterruptedException e) {
    Thread.currentThread().interrupt();
    return new IllegalStateException("interrupted while process " + pid + " was " + doing, e);
  }

  private void awaitEnd() {
    try {
      if (!shell.waitFor(END_WAIT_S, TimeUnit.SECONDS)) {
        throw new IllegalStateException(
            "process " + pid + " has not ended within " + END_WAIT_S + " s");
      }
    } catch (InterruptedException e) {
      throw interrupted("ending", e);
    }
  }

  @Override
  public void close() {
    if (shell.isAlive()) {
      kill();
    }
  }
}
