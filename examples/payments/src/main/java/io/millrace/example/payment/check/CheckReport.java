package io.millrace.example.payment.check;

import java.io.PrintStream;
import java.util.List;

/**
 * How a check ended.
 *
 * @param repeats deliveries that the producers made more than once
 * @param recognised deliveries that consumers have recognised as repeats; a killed one has not told
 *     its last ones
 * @param problems what is wrong; none: everything was booked once
 */
record CheckReport(
    CheckSpec spec,
    long repeats,
    long recognised,
    String faults,
    long seconds,
    List<String> problems) {

  boolean isGood() {
    return problems.isEmpty();
  }

  void print(PrintStream out) {
    if (isGood()) {
      out.printf(
          "OK: %,d events booked once each, every account right to the cent, nothing parked, in %,d s%n",
          spec.events(), seconds);
    } else {
      out.printf("FAILED after %,d s:%n", seconds);
      problems.forEach(problem -> out.println("  - " + problem));
    }
    out.printf(
        "    %,d repeats sent; at least %,d deliveries recognised as repeats; %s; seed %d%n",
        repeats, recognised, faults, spec.seed());
  }
}
