package io.millrace.example.order;

import picocli.CommandLine.Option;

/** What a person may say to {@code millrace dev}. */
final class DevOptions {
  @Option(
      names = "--rate",
      defaultValue = "300",
      paramLabel = "N",
      description =
          "Messages a second that the workload writes, 1 to 20000 (default: ${DEFAULT-VALUE}).")
  int rate;

  @Option(
      names = "--duration",
      defaultValue = "0",
      paramLabel = "S",
      description = "Seconds until it ends by itself; 0 (the default): not before Ctrl-C.")
  int durationS;

  @Option(
      names = "--postgres-port",
      defaultValue = "0",
      paramLabel = "P",
      description = "0 (the default): any free one.")
  int postgresPort;

  @Option(
      names = "--kafka-port",
      defaultValue = "0",
      paramLabel = "P",
      description = "0 (the default): any free one.")
  int kafkaPort;

  @Option(
      names = "--admin-port",
      defaultValue = "0",
      paramLabel = "P",
      description = "0 (the default): any free one.")
  int adminPort;

  @Option(
      names = "--postgres",
      defaultValue = "18",
      paramLabel = "VERSION",
      description = "PostgreSQL 18 (the default) or 15.")
  int postgresVersion;

  /**
   * Refuses values outside their limits.
   *
   * @throws IllegalArgumentException naming the option, the limit and the value
   */
  void check() {
    check("--rate", rate, 1, 20_000);
    check("--duration", durationS, 0, 1_000_000);
    check("--postgres-port", postgresPort, 0, 65_535);
    check("--kafka-port", kafkaPort, 0, 65_535);
    check("--admin-port", adminPort, 0, 65_535);
    if (postgresVersion != 18 && postgresVersion != 15) {
      throw new IllegalArgumentException("--postgres must be 18 or 15, found " + postgresVersion);
    }
  }

  private static void check(String option, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          option + " must be " + min + " to " + max + ", found " + value);
    }
  }
}
