package io.millrace.bench.spi;

import java.util.Map;

/**
 * How writers write.
 *
 * @param perSecond transactions a second, all writers together, begun when they are due whether
 *     earlier ones have ended or not
 * @param seconds for how long
 * @param payloadBytes of each message; a transaction has one
 * @param writers connections that work at the same time
 * @param firstRevision of every aggregate
 */
public record LoadPlan(
    int perSecond, int seconds, int payloadBytes, int writers, int firstRevision) {

  static LoadPlan of(Map<String, String> values) {
    return new LoadPlan(
        number(values, "rate"),
        number(values, "seconds"),
        number(values, "bytes"),
        number(values, "writers"),
        number(values, "revision"));
  }

  /** As a subject's process takes it. */
  public Map<String, Integer> arguments() {
    return Map.of(
        "rate",
        perSecond,
        "seconds",
        seconds,
        "bytes",
        payloadBytes,
        "writers",
        writers,
        "revision",
        firstRevision);
  }

  private static int number(Map<String, String> values, String name) {
    return Integer.parseInt(SubjectSettings.text(values, name));
  }

  /** All that are begun. */
  public long transactions() {
    return (long) perSecond * seconds;
  }
}
