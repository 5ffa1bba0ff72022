package io.millrace.kafka;

import static org.awaitility.Awaitility.await;

import io.millrace.port.Source.Assignment;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A source with an event loop and a listener of its own. */
final class Member implements AutoCloseable {
  static final Duration LIMIT = Duration.ofSeconds(30);
  private static final long REVOKE_WAIT_MS_MAX = 15_000;

  /** Below max.poll.interval.ms of the one that has a short one. */
  private static final long SHORT_REVOKE_WAIT_MS_MAX = 2_000;

  final EventLoop loop = new EventLoop();
  final RecordingListener heard = new RecordingListener();
  final KafkaSource source;

  Member(
      String bootstrapServers, String groupId, Map<String, String> properties, String... topics) {
    this.source =
        KafkaSource.create(
            loop.vertx(),
            new SourceSettings(
                bootstrapServers, properties, groupId, List.of(topics), revokeWait(properties)));
  }

  private static long revokeWait(Map<String, String> properties) {
    boolean isHasty = properties.containsKey("max.poll.interval.ms");
    return isHasty ? SHORT_REVOKE_WAIT_MS_MAX : REVOKE_WAIT_MS_MAX;
  }

  Member start() {
    loop.await(() -> source.start(heard));
    return this;
  }

  /** Whatever is assigned is read from the beginning. */
  Member readingAll() {
    heard.whenAssigned = assignment -> source.begin(assignment, 0, -1);
    return this;
  }

  /** Waits until it has so many topic partitions. */
  List<Assignment> awaitAssigned(int count) {
    await().atMost(LIMIT).until(() -> heard.held().size() == count);
    return heard.held();
  }

  /** Waits for the only one. */
  Assignment awaitAssigned() {
    return awaitAssigned(1).get(0);
  }

  void begin(Assignment assignment, long offset) {
    run(() -> source.begin(assignment, offset, -1));
  }

  void run(Runnable call) {
    loop.call(
        () -> {
          call.run();
          return true;
        });
  }

  @Override
  public void close() {
    loop.await(source::close);
    loop.close();
  }
}
