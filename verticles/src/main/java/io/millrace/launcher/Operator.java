package io.millrace.launcher;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Who does it and why: kept in millrace.audit. */
final class Operator {
  @Option(
      names = "--actor",
      paramLabel = "NAME",
      description = "Who does it, for the record; the name of the system's user without it.")
  private String actor = System.getProperty("user.name");

  @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for the record.")
  private @Nullable String reason;

  String actor() {
    return actor;
  }

  @Nullable String reason() {
    return reason;
  }
}
