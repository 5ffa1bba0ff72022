package io.millrace.devstack;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * A shell in a session of its own that starts the server for us and ends it when its standard input
 * ends. The kernel closes that pipe however this JVM goes, by SIGKILL as well, so no server and no
 * temporary directory is left behind. The protocol is described in watchdog.sh.
 *
 * <p>Blocking; calls are made one at a time by {@link ServerProcess}.
 */
final class Watchdog implements AutoCloseable {
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);

  /** More than the shell's own limits of 3 s for the server and 5 s for the directory. */
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(60);

  private static final String GONE = "gone";
  private static final int STATUS_UNKNOWN = -1;

  private final Process shell;
  private final LinkedBlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private volatile CompletableFuture<Integer> exit = CompletableFuture.completedFuture(0);

  private Watchdog(Process shell) {
    this.shell = shell;
    Thread reader = new Thread(this::read, "devstack-watchdog-" + shell.pid());
    reader.setDaemon(true);
    reader.start();
  }

  /** From here on a temporary directory is deleted even if this JVM dies. */
  static Watchdog open(ServerCommand command) {
    List<String> line = new ArrayList<>(List.of("setsid", "sh", "-c"));
    line.add(Resources.text("watchdog.sh"));
    line.add("millrace-watchdog");
    line.add(command.directory().toString());
    line.add(command.temporary() ? "delete" : "keep");
    line.add(command.log().toString());
    line.add(command.partingSignal());
    line.addAll(command.line());
    try {
      return new Watchdog(
          new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.DISCARD).start());
    } catch (IOException e) {
      throw new DevStackException(
          "cannot start the watchdog: it needs setsid and sh, so a Linux with util-linux", e);
    }
  }

  private void read() {
    try (BufferedReader lines = shell.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("exited ")) {
          exit.complete(Integer.parseInt(line.substring("exited ".length())));
        } else {
          answers.add(line);
        }
      }
    } catch (IOException e) {
      // The end of the stream says the same.
    }
    answers.add(GONE);
    exit.complete(STATUS_UNKNOWN);
  }

  /** Starts the server, which must not be running, and returns its process id. */
  long start() {
    if (!shell.isAlive()) {
      throw new DevStackException("watchdog " + shell.pid() + " is gone, it cannot start a server");
    }
    exit = new CompletableFuture<>();
    return Long.parseLong(ask("start", "started ").trim());
  }

  /** Sends the signal, named without "SIG"; processes that are gone are passed over. */
  void signal(String name, Collection<Long> pids) {
    String list = pids.stream().map(String::valueOf).collect(Collectors.joining(" "));
    ask("signal " + name + " " + list, "signalled");
  }

  private String ask(String command, String expected) {
    try {
      OutputStream commands = shell.getOutputStream();
      commands.write((command + "\n").getBytes(StandardCharsets.UTF_8));
      commands.flush();
      String answer = answers.poll(ANSWER_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      if (answer == null || !answer.startsWith(expected)) {
        throw new DevStackException("watchdog answered '" + answer + "' to '" + command + "'");
      }
      return answer.substring(expected.length());
    } catch (IOException e) {
      throw new DevStackException("the watchdog is gone, asked to '" + command + "'", e);
    } catch (InterruptedException e) {
      throw Await.interrupted(e);
    }
  }

  /**
   * Status of the last start as the shell reports it (128 + n for signal n), empty while it runs.
   */
  OptionalInt exitStatus() {
    CompletableFuture<Integer> last = exit;
    return last.isDone() ? OptionalInt.of(last.join()) : OptionalInt.empty();
  }

  /** Returns whether the server ended within the limit. */
  boolean awaitExit(Duration limit) {
    try {
      exit.get(limit.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      throw Await.interrupted(e);
    } catch (ExecutionException e) {
      throw new DevStackException("watchdog failed", e);
    }
  }

  /** Ends the server if it runs and deletes a temporary directory; returns when that is done. */
  @Override
  public void close() {
    try {
      shell.getOutputStream().close();
    } catch (IOException e) {
      // A broken pipe: the shell is gone already, which the wait below finds.
    }
    try {
      if (!shell.waitFor(CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new DevStackException(
            "watchdog %d has not ended within %d s"
                .formatted(shell.pid(), CLOSE_LIMIT.toSeconds()));
      }
    } catch (InterruptedException e) {
      throw Await.interrupted(e);
    }
  }
}
