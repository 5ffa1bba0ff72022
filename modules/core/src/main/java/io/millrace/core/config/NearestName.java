package io.millrace.core.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Guesses which known name somebody meant, by edit distance. */
public final class NearestName {

  // Bounds the work; no known name is nearly as long.
  private static final int CHARACTERS_COMPARED_MAX = 200;

  private NearestName() {}

  /** The known name with the fewest edits; the first of several; empty if none is known. */
  public static Optional<String> of(String name, Collection<String> known) {
    String compared = name.substring(0, Math.min(name.length(), CHARACTERS_COMPARED_MAX));
    return known.stream().min(Comparator.comparingInt(candidate -> edits(compared, candidate)));
  }

  /** Levenshtein's distance: single insertions, deletions and replacements. */
  static int edits(String from, String to) {
    int[] above = new int[to.length() + 1];
    for (int column = 0; column < above.length; column++) {
      above[column] = column;
    }
    for (int row = 1; row <= from.length(); row++) {
      int[] current = new int[above.length];
      current[0] = row;
      for (int column = 1; column < current.length; column++) {
        int replaced = from.charAt(row - 1) == to.charAt(column - 1) ? 0 : 1;
        int inserted = Math.min(current[column - 1], above[column]) + 1;
        current[column] = Math.min(above[column - 1] + replaced, inserted);
      }
      above = current;
    }
    return above[to.length()];
  }
}
