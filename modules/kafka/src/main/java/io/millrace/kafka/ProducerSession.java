package io.millrace.kafka;

import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.message.OutboxMessage;
import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What belongs to one producer: the records in front of it, by topic partition, and those it has.
 * One run at a time is on the send thread, so that a run's owners are asked right before it starts
 * and not while an earlier one may block.
 *
 * <p>Lives on the context; what waits here is bounded by what the callers publish before they wait.
 */
final class ProducerSession {
  private static final Logger LOG = LoggerFactory.getLogger(ProducerSession.class);

  /** Records in one run: a few ten milliseconds of the send thread. */
  private static final int RUN_RECORDS_MAX = 5_000;

  /** Half of Kafka's default of {@code producer.id.expiration.ms}. */
  private static final long WARM_NANOS_MAX = TimeUnit.HOURS.toNanos(12);

  private final Context context;
  private final SendThread sendThread;
  private final TopicDirectory directory;
  private final Runnable whenSpent;

  private final Map<String, List<TopicPartitionGate<Delivery>>> gates = new HashMap<>();
  private final Set<TopicPartitionGate<Delivery>> ready = new LinkedHashSet<>();
  private final Set<AnswerBridge> open = new HashSet<>();
  private boolean isSending;
  private volatile @Nullable Failure end;

  /**
   * @param whenSpent called when the producer has failed for good
   */
  ProducerSession(
      Context context, SendThread sendThread, TopicDirectory directory, Runnable whenSpent) {
    this.context = context;
    this.sendThread = sendThread;
    this.directory = directory;
    this.whenSpent = whenSpent;
  }

  /**
   * Puts a batch behind everything that waits already.
   *
   * @param partitionCounts of every topic of the batch
   */
  void enqueue(Batch batch, Map<String, Integer> partitionCounts) {
    List<OutboxMessage> messages = batch.messages();
    for (int i = 0; i < messages.size(); i++) {
      String topic = messages.get(i).topic();
      byte[] key = RecordEncoder.key(messages.get(i));
      int topicPartition = KeyHash.topicPartition(key, partitionCounts.getOrDefault(topic, 1));
      TopicPartitionGate<Delivery> gate = gate(topic, topicPartition);
      gate.add(new Delivery(batch, i, key, topicPartition, gate));
      ready.add(gate);
    }
    pump();
  }

  private TopicPartitionGate<Delivery> gate(String topic, int topicPartition) {
    List<TopicPartitionGate<Delivery>> ofTopic =
        gates.computeIfAbsent(topic, unseen -> new ArrayList<>());
    while (ofTopic.size() <= topicPartition) {
      ofTopic.add(new TopicPartitionGate<>(WARM_NANOS_MAX));
    }
    return ofTopic.get(topicPartition);
  }

  /** Refuses everything of a broken stream that waits. */
  void withdraw(KafkaPublishStream stream) {
    Failure why = stream.whyNot();
    gates.values().stream()
        .flatMap(List::stream)
        .flatMap(gate -> gate.withdraw(delivery -> delivery.stream() == stream).stream())
        .forEach(delivery -> delivery.refuse(why, false));
  }

  private void pump() {
    if (isSending) {
      return;
    }
    List<Delivery> run = takeRun();
    if (!run.isEmpty()) {
      isSending = true;
      sendThread.send(run).onComplete(result -> sent(run, result));
    }
  }

  private void sent(List<Delivery> run, AsyncResult<Integer> result) {
    isSending = false;
    if (result.succeeded()) {
      for (int i = run.size() - 1; i >= result.result(); i--) {
        Delivery delivery = run.get(i);
        delivery.comesBack();
        ready.add(delivery.gate());
      }
    } else {
      LOG.error("The thread that hands records to Kafka has failed", result.cause());
      whenSpent.run();
    }
    pump();
  }

  private List<Delivery> takeRun() {
    long now = System.nanoTime();
    List<Delivery> run = new ArrayList<>();
    Map<Batch, AnswerBridge> bridges = new HashMap<>();
    Iterator<TopicPartitionGate<Delivery>> readyGates = ready.iterator();
    while (readyGates.hasNext() && run.size() < RUN_RECORDS_MAX) {
      TopicPartitionGate<Delivery> gate = readyGates.next();
      while (run.size() < RUN_RECORDS_MAX && gate.mayTake(now)) {
        KafkaPublishStream stream = gate.head().stream();
        if (stream.mayHandOver()) {
          Delivery delivery = gate.take(now);
          bridge(delivery, bridges).add(delivery);
          stream.boarded();
          run.add(delivery);
        } else {
          withdraw(stream);
        }
      }
      if (!gate.mayTake(now)) {
        readyGates.remove();
      }
    }
    return run;
  }

  /** One a batch; but a topic partition that waits for one answer must not wait for others too. */
  private AnswerBridge bridge(Delivery delivery, Map<Batch, AnswerBridge> bridges) {
    AnswerBridge bridge =
        delivery.gate().isProbing()
            ? new AnswerBridge(context, this::answered)
            : bridges.computeIfAbsent(
                delivery.batch(), unseen -> new AnswerBridge(context, this::answered));
    open.add(bridge);
    return bridge;
  }

  private void answered(AnswerBridge bridge) {
    if (!open.remove(bridge)) {
      return; // abandoned before
    }
    breakIfFailed(bridge);
    long now = System.nanoTime();
    for (Delivery delivery : bridge.deliveries()) {
      settle(delivery, now);
    }
    pump();
  }

  private void breakIfFailed(AnswerBridge bridge) {
    for (Delivery delivery : bridge.deliveries()) {
      Throwable failure = delivery.failure();
      if (failure != null) {
        delivery.stream().breakWith(delivery.explain(failure));
        consider(delivery, failure);
        return;
      }
    }
  }

  /** What a failure says beyond its own record. */
  private void consider(Delivery delivery, Throwable failure) {
    FailureKind kind = KafkaFailures.classify(failure);
    if (kind == FailureKind.TOPIC || (kind == FailureKind.TRANSIENT && !delivery.wasHandedOver())) {
      // A topic that is gone by now looks like a time-out: ask again before the next hand-over.
      directory.forget(delivery.message().topic());
    }
    if (end == null && KafkaFailures.endsProducer(failure)) {
      LOG.warn("The Kafka producer is of no use any more and is replaced", failure);
      whenSpent.run();
    }
  }

  private void settle(Delivery delivery, long now) {
    TopicPartitionGate<Delivery> gate = delivery.gate();
    Throwable failure = delivery.failure();
    if (delivery.isAcknowledged()) {
      gate.acknowledged(now);
      delivery.acknowledge();
    } else if (failure == null) {
      gate.returned();
      delivery.refuse(delivery.stream().whyNot(), false);
    } else {
      if (delivery.wasHandedOver()) {
        gate.failed();
      } else {
        gate.returned();
      }
      delivery.refuse(delivery.explain(failure), delivery.wasHandedOver());
    }
    if (gate.hasWaiting()) {
      ready.add(gate);
    }
    // Last, so that who settles the stream has got the outcome before.
    delivery.stream().answered();
  }

  /** Hands nothing more over and refuses everything that waits. */
  void end(Failure why) {
    end = why;
    gates.values().stream()
        .flatMap(List::stream)
        .flatMap(gate -> gate.withdraw(any -> true).stream())
        .forEach(delivery -> delivery.refuse(delivery.stream().whyNot(), false));
  }

  /** Why nothing more is handed over, or null; from any thread. */
  @Nullable Failure end() {
    return end;
  }

  boolean isEnded() {
    return end != null;
  }

  /** Gives up on answers: only after the producer has been closed, when none can come any more. */
  void abandon(Throwable why) {
    for (AnswerBridge bridge : List.copyOf(open)) {
      for (Delivery delivery : bridge.deliveries()) {
        if (!delivery.isAnswered()) {
          delivery.answer(why);
        }
      }
      answered(bridge);
    }
  }
}
