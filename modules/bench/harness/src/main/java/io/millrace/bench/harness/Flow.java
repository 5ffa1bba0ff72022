package io.millrace.bench.harness;

import io.millrace.bench.spi.LoadPlan;
import io.millrace.bench.spi.SubjectSettings;
import org.HdrHistogram.Histogram;

/**
 * Messages on their way from a subject's writers through its relay to a consumer, which notes how
 * long each took.
 */
final class Flow implements AutoCloseable {
  private final Bench bench;
  private final LatencyReader reader;

  private Flow(Bench bench, LatencyReader reader) {
    this.bench = bench;
    this.reader = reader;
  }

  /**
   * How it ended.
   *
   * @param lateMs by which the slowest writer was late
   */
  record End(Delivery delivery, long committed, long lateMs) {
    private static final long LATE_MS = 100;

    /** What a reader has to know of the messages and of the writers. */
    String verdict() {
      return delivery.verdict(committed) + lateness();
    }

    /** The same where repeats are told elsewhere. */
    String verdictBesideRepeats() {
      return delivery.verdictBesideRepeats(committed) + lateness();
    }

    private String lateness() {
      return lateMs < LATE_MS ? "" : "; writers up to " + lateMs + " ms behind";
    }
  }

  /**
   * Returns when the relay works.
   *
   * @param site without tables
   * @param warmUpNanos messages due within so long after the first one are not noted
   */
  static Flow start(Bench bench, Site site, Child relay, long warmUpNanos) {
    relay.call("lay");
    site.settle();
    relay.call("start");
    String brokers = bench.servers().kafka().bootstrapServers();
    return new Flow(bench, new LatencyReader(brokers, site.topic(), warmUpNanos));
  }

  /** Returns at once. The writers may be in the relay's process. */
  void write(Child writers, LoadPlan plan) {
    writers.call("load", plan.arguments());
  }

  /** What was noted since the last call. */
  Histogram take() {
    return reader.take();
  }

  /**
   * Waits for the writers, and then, the relay still running, until every message has come or the
   * time that a relay is given to go on has passed.
   */
  End end(Child writers, LoadPlan plan) {
    String late = SubjectSettings.text(writers.call("loaded"), "late_ms");
    long committed = plan.transactions();
    TopicWatch.await(
        bench.options().settleNanos(), () -> reader.delivery().distinct() >= committed);
    return new End(reader.delivery(), committed, Long.parseLong(late));
  }

  @Override
  public void close() {
    reader.close();
  }
}
