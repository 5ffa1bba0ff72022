package io.millrace.launcher;

import io.millrace.launcher.log.LogFormat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/** What a person sees when a command fails: the reason, not the stack. */
final class Failures {
  private static final Logger LOG = LoggerFactory.getLogger(Failures.class);
  private static final int FAILED = 1;

  private Failures() {}

  static int report(Exception failure, CommandLine command, ParseResult parsed) {
    Throwable shown = failure;
    while (shown.getMessage() == null && shown.getCause() != null) {
      shown = shown.getCause();
    }
    String reason = shown.getMessage() == null ? shown.toString() : shown.getMessage();
    if (LogFormat.isJson(System.getenv())) {
      LOG.error("{}", reason);
    } else {
      command.getErr().println("millrace: " + reason);
    }
    return FAILED;
  }
}
