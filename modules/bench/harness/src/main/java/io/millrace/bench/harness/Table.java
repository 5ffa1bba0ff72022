package io.millrace.bench.harness;

import java.util.List;
import java.util.Optional;

/** A table in Markdown. */
final class Table {
  private final StringBuilder text = new StringBuilder();

  Table(String... heads) {
    row(List.of(heads));
    text.append("|").append("---|".repeat(heads.length)).append("\n");
  }

  void row(List<String> cells) {
    text.append("| ").append(String.join(" | ", cells)).append(" |\n");
  }

  /** A cell of what may not have been measured. */
  static String cell(Optional<Spread> spread, int digits) {
    return spread.map(found -> found.text(digits)).orElse("");
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
