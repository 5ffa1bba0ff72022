package io.millrace.stress;

import static org.awaitility.Awaitility.await;

import io.millrace.launcher.AdminPages;
import io.millrace.testkit.NodeProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.core.ConditionTimeoutException;
import org.awaitility.core.TerminalFailureException;

/** A node in a process of its own, and its log. */
public record StressNode(String name, NodeProcess process, Path log) {
  private static final Duration START_LIMIT = Duration.ofMinutes(2);
  private static final Pattern ADMIN_PORT = Pattern.compile("Millrace runs, admin on port (\\d+)");

  /** Waits until it says that it works. */
  public void awaitRunning() {
    try {
      await(log.toString())
          .atMost(START_LIMIT)
          .pollInterval(Duration.ofMillis(100))
          .failFast("it has ended", () -> !process.isAlive())
          .until(this::isRunning);
    } catch (ConditionTimeoutException | TerminalFailureException e) {
      throw new AssertionError(e.getMessage() + "\n" + text(), e);
    }
  }

  /** Whether it has said that it works. */
  public boolean isRunning() {
    return text().contains("Millrace runs");
  }

  private String text() {
    try {
      return Files.exists(log) ? Files.readString(log) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What an operator sees of it, once it runs. */
  public AdminPages pages() throws IOException {
    Matcher port = ADMIN_PORT.matcher(Files.readString(log));
    if (!port.find()) {
      throw new IllegalStateException(name + " has no admin pages, see " + log);
    }
    return new AdminPages(Integer.parseInt(port.group(1)));
  }
}
