package io.millrace.kafka;

import io.millrace.core.failure.FailureKind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.kafka.client.producer.KafkaProducer;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * The one thread on which the producer may block, and the producer itself, which is made, used and
 * closed on it. A run of records is handed over in one go: a task for each would cost more than the
 * send.
 */
final class SendThread {
  private static final String NAME = "millrace-kafka-send";

  /**
   * A run that takes longer ends early: its owners were asked before it began whether they still
   * own their shards. One record can exceed it by {@code max.block.ms}.
   */
  private static final long RUN_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

  private final Vertx vertx;
  private final WorkerExecutor executor;
  private final Map<String, String> properties;
  private final RecordEncoder encoder;

  // From here on written on the send thread only, but for the first producer.
  private volatile @Nullable KafkaProducer<byte[], byte[]> producer;
  private @Nullable Throwable returnedBySend;

  /**
   * Blocks while it makes the first producer, so that settings that cannot work are found at once.
   *
   * @throws KafkaException when the producer cannot be made
   */
  SendThread(Vertx vertx, Map<String, String> properties, RecordEncoder encoder) {
    this.vertx = vertx;
    this.properties = properties;
    this.encoder = encoder;
    this.producer = KafkaProducer.create(vertx, properties);
    this.executor = vertx.createSharedWorkerExecutor(NAME, 1);
  }

  /**
   * Hands the records over, each stream's only until its first failure, and none while the leaders
   * of any of their topics are unknown. The deliveries report for themselves.
   *
   * @return how many it has got to; it will not touch the others any more
   */
  Future<Integer> send(List<Delivery> run) {
    return executor.executeBlocking(() -> sendAll(run));
  }

  private int sendAll(List<Delivery> run) {
    long startNanos = System.nanoTime();
    if (!knowsTopics(run)) {
      return run.size();
    }
    if (System.nanoTime() - startNanos > RUN_NANOS_MAX) {
      return 0; // next time they are known
    }
    Throwable stop = null;
    for (int i = 0; i < run.size(); i++) {
      Delivery delivery = run.get(i);
      if (stop != null || delivery.stream().isBroken()) {
        delivery.returned(stop);
      } else if (i > 0 && System.nanoTime() - startNanos > RUN_NANOS_MAX) {
        return i;
      } else {
        stop = concernsAll(sendOne(delivery));
      }
    }
    return run.size();
  }

  /**
   * Waits for what the producer must know of a topic before it takes a record. A wait in vain
   * between two records would leave the first one published and to be published again.
   *
   * @return false: everything has been returned, because one topic stays unknown
   */
  private boolean knowsTopics(List<Delivery> run) {
    Set<String> known = new HashSet<>();
    for (Delivery delivery : run) {
      String topic = delivery.message().topic();
      if (!delivery.stream().isBroken() && known.add(topic)) {
        Throwable failure = concernsAll(learn(topic));
        if (failure != null) {
          run.forEach(each -> each.returned(each.message().topic().equals(topic) ? failure : null));
          return false;
        }
      }
    }
    return true;
  }

  /** Returns what kept the producer from learning about the topic. */
  private @Nullable Throwable learn(String topic) {
    try {
      ready().partitionsFor(topic);
      return null;
    } catch (RuntimeException | LinkageError e) {
      return e;
    }
  }

  /** A full buffer or an absent broker would block for the next record just as long. */
  private static @Nullable Throwable concernsAll(@Nullable Throwable failure) {
    if (failure == null) {
      return null;
    }
    FailureKind kind = KafkaFailures.classify(failure);
    return kind == FailureKind.MESSAGE || kind == FailureKind.TOPIC ? null : failure;
  }

  /** Returns the failure if the producer did not take the record. */
  private @Nullable Throwable sendOne(Delivery delivery) {
    Thread sender = Thread.currentThread();
    returnedBySend = null;
    try {
      // The callback tells the same as the future, without a thread that waits for it.
      var unused =
          ready()
              .send(
                  delivery.record(encoder),
                  (metadata, failure) -> answered(delivery, failure, sender));
    } catch (RuntimeException | LinkageError e) {
      returned(delivery, e);
    }
    return returnedBySend;
  }

  /** A failure before the record is taken is reported in the call of send itself. */
  private void answered(Delivery delivery, @Nullable Exception failure, Thread sender) {
    if (failure != null && Thread.currentThread() == sender) {
      returned(delivery, failure);
    } else {
      delivery.answer(failure);
    }
  }

  private void returned(Delivery delivery, Throwable failure) {
    returnedBySend = failure;
    delivery.returned(failure);
  }

  private Producer<byte[], byte[]> ready() {
    KafkaProducer<byte[], byte[]> current = producer;
    if (current == null) {
      current = KafkaProducer.create(vertx, properties);
      producer = current;
    }
    return current.unwrap();
  }

  /**
   * Closes the producer; whatever it has not got an answer for fails. The next record makes a fresh
   * one.
   *
   * @param limit how long answers are waited for; zero: not at all
   */
  Future<Void> closeProducer(Duration limit) {
    return executor
        .<@Nullable KafkaProducer<byte[], byte[]>>executeBlocking(
            () -> {
              KafkaProducer<byte[], byte[]> closing = producer;
              producer = null;
              if (closing != null) {
                closing.unwrap().close(limit);
              }
              return closing;
            })
        .compose(SendThread::forget);
  }

  /** Nothing is left to close, but the context in which it was made lets go of it only so. */
  private static Future<Void> forget(@Nullable KafkaProducer<byte[], byte[]> closed) {
    return closed == null ? Future.succeededFuture() : closed.close();
  }

  /** Does something else that may block, behind what was asked for before. */
  Future<Void> execute(Callable<Void> task) {
    return executor.executeBlocking(task);
  }

  Future<Void> close() {
    return executor.close();
  }
}
