package io.millrace.bench.harness;

import java.util.Map;

/**
 * What one measurement of one subject gave.
 *
 * @param group which measurements of a scenario may be compared with each other
 * @param values by metric
 * @param notes what a reader has to know, by name
 */
record Figure(
    String scenario,
    String group,
    int round,
    String subject,
    Map<String, Double> values,
    Map<String, String> notes) {

  Figure {
    values = Map.copyOf(values);
    notes = Map.copyOf(notes);
  }
}
