package io.millrace.devstack;

/** Which PostgreSQL and which Kafka to start together. */
public record DevStackSpec(PostgresSpec postgres, KafkaSpec kafka) {

  /** Both temporary; the system property of {@link PostgresSpec} decides on the version. */
  public static DevStackSpec temporary() {
    return new DevStackSpec(PostgresSpec.fromSystemProperty(), KafkaSpec.defaults());
  }
}
