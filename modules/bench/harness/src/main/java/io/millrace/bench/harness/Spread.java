package io.millrace.bench.harness;

import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;

/** Values of the same thing in several rounds. */
record Spread(double min, double median, double max) {

  /**
   * @param values at least one
   */
  static Spread of(Collection<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    if (sorted.length == 0) {
      throw new IllegalArgumentException("a spread needs at least one value, found none");
    }
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Spread(Arrays.stream(sorted).min().orElseThrow(), median, sorted[sorted.length - 1]);
  }

  /** The median, with the least and the greatest behind it. */
  String text(int digits) {
    String form = "%,." + digits + "f";
    return String.format(Locale.ROOT, form + " (" + form + ".." + form + ")", median, min, max);
  }
}
