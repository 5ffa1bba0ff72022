package io.millrace.kafka;

import io.millrace.core.retry.Backoff;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of one source. It polls without a pause, so that the member stays one whatever the
 * listener does, and makes a fresh consumer when the former one is of no use any more.
 *
 * <p>Everything but {@link #nudge}, {@link #close} and {@link #join} happens on the thread itself.
 */
final class PollThread {
  private static final Logger LOG = LoggerFactory.getLogger(PollThread.class);
  private static final Duration POLL_MAX = Duration.ofMillis(100);
  private static final Duration LEAVE_MAX = Duration.ofSeconds(5);
  private static final long LAG_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final Backoff BACKOFF = new Backoff(200, 5_000);

  /** What a failure of one topic costs the others; it comes ten times a second at most. */
  private static final long OTHERS_WAIT_MS = 10;

  /** Some failures come back only some polls later. */
  private static final long WORKS_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final SourceSettings settings;
  private final Map<String, Object> properties;
  private final ListenerSide side;
  private final ProgressReports reports;
  private final Thread thread;

  private volatile boolean isClosing;
  private volatile boolean isNudged;
  private volatile @Nullable Consumer<byte[], byte[]> polling;
  private volatile @Nullable CompletableFuture<Void> awaited;

  // On the thread.
  private final AssignmentTable table = new AssignmentTable();
  private Runnable whenPolling = () -> {};
  private @Nullable Consumer<byte[], byte[]> consumer;
  private long lagNanos = System.nanoTime();
  private int failures;
  private long worksSinceNanos;

  PollThread(
      SourceSettings settings,
      Map<String, Object> properties,
      ListenerSide side,
      ProgressReports reports) {
    this.settings = settings;
    this.properties = properties;
    this.side = side;
    this.reports = reports;
    this.thread = new Thread(this::run, "millrace-inbox-" + settings.groupId());
    thread.setDaemon(true);
  }

  /**
   * @param whenPolling called on the thread
   */
  void start(Runnable whenPolling) {
    this.whenPolling = whenPolling;
    thread.start();
  }

  long revokeWaitMsMax() {
    return settings.revokeWaitMsMax();
  }

  /** From any thread: there is something to do before the poll under way ends by itself. */
  void nudge() {
    isNudged = true;
    Consumer<byte[], byte[]> waiting = polling;
    if (waiting != null) {
      waiting.wakeup();
    }
  }

  /** From any thread; waits for nothing. */
  void close() {
    isClosing = true;
    CompletableFuture<Void> waitedFor = awaited;
    if (waitedFor != null) {
      waitedFor.complete(null);
    }
    nudge();
  }

  /** Whether the thread has ended within the limit. Blocks. */
  boolean join(Duration limit) throws InterruptedException {
    thread.join(limit.toMillis());
    return !thread.isAlive();
  }

  private void run() {
    try {
      whenPolling.run();
      while (!isClosing && !side.isClosed()) {
        step();
      }
    } finally {
      endConsumer();
    }
  }

  private void step() {
    try {
      Consumer<byte[], byte[]> current = ready();
      isNudged = false;
      table.follow(current, side.isFull());
      deliver(poll(current));
      measureLags(current);
      reports.commitWhenDue(current, table.all());
      works();
    } catch (WakeupException e) {
      works(); // There is a wish to follow.
    } catch (RuntimeException | Error e) {
      failed(e);
    }
  }

  private Consumer<byte[], byte[]> ready() {
    Consumer<byte[], byte[]> current = consumer;
    if (current == null) {
      current = new KafkaConsumer<>(properties);
      consumer = current;
      reports.restart();
      current.subscribe(settings.topics(), new Rebalance(this, current, table, side, reports));
    }
    return current;
  }

  private ConsumerRecords<byte[], byte[]> poll(Consumer<byte[], byte[]> current) {
    try {
      polling = current;
      return current.poll(isNudged ? Duration.ZERO : POLL_MAX);
    } catch (InvalidOffsetException e) {
      outOfRange(current, e);
      return ConsumerRecords.empty();
    } finally {
      polling = null;
    }
  }

  /** For calls within a poll that a nudge must not interrupt. */
  void undisturbed(Runnable calls) {
    Consumer<byte[], byte[]> before = polling;
    polling = null;
    try {
      calls.run();
    } finally {
      polling = before;
    }
  }

  private void outOfRange(Consumer<byte[], byte[]> current, InvalidOffsetException cause) {
    for (TopicPartition topicPartition : cause.partitions()) {
      HeldPartition partition = table.stop(current, topicPartition);
      if (partition != null) {
        String reason = MissingOffset.reason(topicPartition, cause);
        side.outOfRange(partition, partition.followed(), reason);
      }
    }
  }

  private void deliver(ConsumerRecords<byte[], byte[]> records) {
    for (TopicPartition topicPartition : records.partitions()) {
      HeldPartition partition = table.get(topicPartition);
      List<ConsumerRecord<byte[], byte[]>> ofOne = records.records(topicPartition);
      if (partition != null && partition.isReading() && !ofOne.isEmpty()) {
        side.received(partition, RecordDecoder.decode(ofOne));
      }
    }
  }

  private void measureLags(Consumer<byte[], byte[]> current) {
    long now = System.nanoTime();
    if (now - lagNanos >= LAG_INTERVAL_NANOS) {
      lagNanos = now;
      table.measureLags(current);
    }
  }

  private void works() {
    if (failures > 0 && System.nanoTime() - worksSinceNanos > WORKS_NANOS) {
      failures = 0;
      side.state(null);
    }
  }

  private void failed(Throwable failure) {
    failures++;
    if (failures == 1) {
      side.state(
          TopicQueries.failure(
              "topics %s cannot be read as group %s"
                  .formatted(settings.topics(), settings.groupId()),
              failure));
    }
    if (KafkaFailures.endsConsumer(failure)) {
      endConsumer();
    }
    // Kafka's client leaves the mark of an interrupt, which nobody asks for here.
    Thread.interrupted();
    await(new CompletableFuture<>(), waitMs(failure));
    worksSinceNanos = System.nanoTime();
  }

  /** A forbidden topic waits alone. */
  private long waitMs(Throwable failure) {
    double random = ThreadLocalRandom.current().nextDouble();
    long delayMs = BACKOFF.delayMs(failures, random);
    if (failure instanceof TopicAuthorizationException forbidden) {
      forbidden.unauthorizedTopics().forEach(topic -> table.suspend(topic, delayMs));
      return OTHERS_WAIT_MS;
    }
    return delayMs;
  }

  /**
   * Waits for something on the other side, within limits, and no longer than the source is open.
   *
   * @return false when it has not come
   */
  boolean await(CompletableFuture<Void> something, long msMax) {
    awaited = something;
    try {
      if (!isClosing) {
        something.get(msMax, TimeUnit.MILLISECONDS);
      }
      return true;
    } catch (TimeoutException | ExecutionException | InterruptedException e) {
      return false;
    } finally {
      awaited = null;
    }
  }

  /** Leaves the group; whatever the consumer did not give back in order is lost. */
  private void endConsumer() {
    Consumer<byte[], byte[]> ending = consumer;
    consumer = null;
    if (ending != null && isClosing) {
      reports.commitLast(ending, table.all());
    }
    if (ending != null) {
      closeQuietly(ending);
    }
    List<HeldPartition> left = table.removeAll();
    if (!left.isEmpty()) {
      side.lost(left);
    }
  }

  private static void closeQuietly(Consumer<byte[], byte[]> ending) {
    try {
      ending.close(CloseOptions.timeout(LEAVE_MAX));
    } catch (RuntimeException | Error e) {
      LOG.warn("The Kafka consumer was not closed cleanly", e);
    }
  }
}
