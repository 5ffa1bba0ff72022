package io.millrace.core.config;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The configuration cannot be used. Carries every problem that was found, not the first alone, and
 * never a secret. It has no cause: those of parsers quote the text they failed on.
 */
public final class ConfigException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient List<Problem> problems;

  /**
   * @param problems at least one
   */
  public ConfigException(List<Problem> problems) {
    super(
        problems.stream()
            .map(problem -> "\n  - " + problem)
            .collect(Collectors.joining("", "the configuration cannot be used:", "")));
    this.problems = List.copyOf(problems);
  }

  /** Every problem, in the order of the configuration's sections. */
  public List<Problem> problems() {
    return problems;
  }
}
