package io.millrace.example.payment.check;

import io.millrace.core.message.HeaderName;
import io.millrace.example.payment.Payment;
import io.millrace.example.payment.PaymentsNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the events and their repeats from a thread of its own, and keeps the books: what every
 * account must have in the end.
 */
final class EventProducer implements AutoCloseable {
  static final int TOPIC_PARTITIONS = 6;

  private static final int PRODUCERS = 2;
  private static final long RATE_MAX = 20_000;

  /** Slow enough for a few faults even with few events. */
  private static final long SECONDS_MIN = 20;

  private static final int EVENTS_BETWEEN_LOOKS = 64;

  private final EventPlan plan;
  private final List<KafkaProducer<byte[], byte[]>> producers = new ArrayList<>();
  private final long[] balances = new long[EventPlan.ACCOUNTS];
  private final Thread thread = new Thread(this::produce, "producer");
  private volatile long produced;
  private final AtomicLong repeats = new AtomicLong();
  private volatile boolean isStopped;
  private volatile @Nullable Exception failure;

  EventProducer(EventPlan plan, String bootstrapServers) {
    this.plan = plan;
    for (int i = 0; i < PRODUCERS; i++) {
      producers.add(
          new KafkaProducer<>(
              Map.of(
                  ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                  bootstrapServers,
                  ProducerConfig.LINGER_MS_CONFIG,
                  "5"),
              new ByteArraySerializer(),
              new ByteArraySerializer()));
    }
  }

  void start() {
    thread.start();
  }

  /** Events handed to Kafka; all of them once {@link #isDone}. */
  long produced() {
    return produced;
  }

  long repeats() {
    return repeats.get();
  }

  /** Whether the broker has everything, or something has failed. */
  boolean isDone() {
    return !thread.isAlive();
  }

  /** What went wrong, or null. */
  @Nullable Exception failure() {
    return failure;
  }

  /** What every account must have, in cents; complete once {@link #isDone}. */
  long[] balances() {
    return balances;
  }

  private void produce() {
    try {
      long startNanos = System.nanoTime();
      double perSecond = Math.min(RATE_MAX, (double) plan.events() / SECONDS_MIN);
      for (long number = 0; number < plan.events() && !isStopped; number++) {
        one(number);
        if (number % EVENTS_BETWEEN_LOOKS == 0) {
          produced = number + 1;
          awaitTurn(startNanos, number / perSecond);
        }
      }
      producers.forEach(KafkaProducer::flush);
      produced = plan.events();
    } catch (RuntimeException e) {
      failure = e;
    }
  }

  private static void awaitTurn(long startNanos, double atSecond) {
    long dueNanos = startNanos + (long) (atSecond * TimeUnit.SECONDS.toNanos(1));
    LockSupport.parkNanos(dueNanos - System.nanoTime());
  }

  private void one(long number) {
    Payment payment = plan.event(number);
    balances[payment.account()] += payment.amountCents();
    send(producers.get(0), payment, null);
    plan.repeatAfter(number).ifPresent(this::repeat);
  }

  private void repeat(EventPlan.Repeat repeat) {
    Payment payment = plan.event(repeat.event());
    // Where the keys of another topic layout would have put it.
    Integer elsewhere = repeat.isElsewhere() ? payment.account() % TOPIC_PARTITIONS : null;
    send(producers.get(repeat.isByOtherProducer() ? 1 : 0), payment, elsewhere);
    repeats.incrementAndGet();
  }

  private void send(
      KafkaProducer<byte[], byte[]> producer, Payment payment, @Nullable Integer topicPartition) {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(
            PaymentsNode.TOPIC,
            topicPartition,
            bytes(Integer.toString(payment.account())),
            bytes(payment.toJson().encode()));
    record.headers().add(HeaderName.ID, bytes(payment.eventId().toString()));
    record.headers().add(HeaderName.TYPE, bytes("payment_received"));
    // The callback tells how it ended.
    Future<RecordMetadata> ignored =
        producer.send(
            record,
            (metadata, cause) -> {
              if (cause != null) {
                failure = cause;
              }
            });
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    isStopped = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    producers.forEach(KafkaProducer::close);
  }
}
