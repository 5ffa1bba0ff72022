package io.millrace.launcher;

import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/** What a person sees when a command fails: the reason, not the stack. */
final class Failures {
  private static final int FAILED = 1;

  private Failures() {}

  static int report(Exception failure, CommandLine command, ParseResult parsed) {
    Throwable shown = failure;
    while (shown.getMessage() == null && shown.getCause() != null) {
      shown = shown.getCause();
    }
    command
        .getErr()
        .println("millrace: " + (shown.getMessage() == null ? shown : shown.getMessage()));
    return FAILED;
  }
}
