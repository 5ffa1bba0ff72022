package io.millrace.testkit;

import java.util.List;

/** Something that must hold of every history. */
@FunctionalInterface
public interface Invariant {
  /** Violations that a message of a failed check lists at most. */
  int SHOWN_MAX = 10;

  /** Every violation, naming the message; empty: it holds. */
  List<String> violations(History history);

  /** What must always hold, crashes or not. */
  static List<Invariant> always() {
    return List.of(new NothingLost(), new NothingUncommitted(), new OrderPerAggregate());
  }

  /**
   * Checks several at once.
   *
   * @throws AssertionError naming each invariant, how often it is violated, and the first
   *     violations
   */
  static void check(History history, List<Invariant> invariants) {
    StringBuilder report = new StringBuilder();
    for (Invariant invariant : invariants) {
      List<String> violations = invariant.violations(history);
      if (!violations.isEmpty()) {
        report
            .append(invariant.getClass().getSimpleName())
            .append(": ")
            .append(violations.size())
            .append(" times");
        violations.stream().limit(SHOWN_MAX).forEach(v -> report.append("\n  ").append(v));
        report.append('\n');
      }
    }
    if (!report.isEmpty()) {
      throw new AssertionError(report.toString());
    }
  }
}
