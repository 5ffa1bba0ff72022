package io.millrace.example.payment.check;

/**
 * What a check does.
 *
 * @param events distinct ones, 1 to {@value #EVENTS_MAX}
 * @param seed decides on events, repeats and faults
 * @param nodes consumer processes, 1 to {@value #NODES_MAX}
 * @param postgresVersion 18 or 15
 * @param nodeClass the program of a consumer process; it takes its configuration and its stripes
 */
record CheckSpec(long events, long seed, int nodes, int postgresVersion, String nodeClass) {
  static final long EVENTS_MAX = 100_000_000;
  static final int NODES_MAX = 12;

  /**
   * @throws IllegalArgumentException naming the option, the limit and what was found
   */
  CheckSpec {
    check("--events", events, EVENTS_MAX);
    check("--nodes", nodes, NODES_MAX);
    if (postgresVersion != 18 && postgresVersion != 15) {
      throw new IllegalArgumentException("--postgres must be 18 or 15, found " + postgresVersion);
    }
  }

  private static void check(String option, long value, long max) {
    if (value < 1 || value > max) {
      throw new IllegalArgumentException(option + " must be 1 to " + max + ", found " + value);
    }
  }
}
