package io.millrace.bench.harness;

import java.util.Map;

/** One question that is measured, and how its answer is shown. */
interface Scenario {

  /** On the command line and in figures. */
  String name();

  /** Measures all subjects, in rounds that take turns. */
  void run(Bench bench);

  /** The section of the report; Markdown with a heading of level 2. */
  String report(Bench bench);

  /** Pictures that the section shows, SVG by path from the report's folder. */
  default Map<String, String> pictures(Bench bench) {
    return Map.of();
  }
}
