package io.millrace.relay;

import io.millrace.core.cursor.ReadBounds;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.message.OutboxMessage;
import io.millrace.core.parking.Sift;
import io.millrace.port.PublishOutcome;
import io.millrace.port.PublishOutcome.Refusal;
import io.millrace.port.PublishStream;
import io.millrace.port.Redriven;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets parked messages of a shard go, a round at a time: removes what an operator discards, then
 * publishes what may go out again and records what became of it.
 *
 * <p>Nothing of a blocked key is in flight elsewhere: its later messages are parked. A block is
 * lifted only after everything parked of its key is acknowledged. Messages whose topic cannot be
 * published to wait; one that is refused alone, and for good, is dead again.
 */
final class Redriver {
  private static final Logger LOG = LoggerFactory.getLogger(Redriver.class);

  /** Pause after a round that found nothing, in milliseconds. */
  private static final long IDLE_MS = 500;

  /** Messages that one round discards. */
  private static final int DISCARDED_MAX = 1_000;

  private final ShardRelay shard;
  private final ShardContext context;
  private long dueAtMs;
  private Future<Void> round = Future.succeededFuture();
  private boolean isEnded;
  private @Nullable PublishStream stream;

  /** Of the round's messages, and when they were handed over. */
  private final Set<String> topics = new TreeSet<>();

  private long sentAtMs;
  private final Set<String> ailing = new TreeSet<>();
  private long askAtMs;
  private final Runnable whenRoom = this::look;

  /** Rounds of one message that are left, after a message of a larger one was refused. */
  private int roundsAlone;

  Redriver(ShardRelay shard, ShardContext context) {
    this.shard = shard;
    this.context = context;
  }

  /** Begins a round if it is time for one and none is under way. */
  void look() {
    long nowMs = ShardContext.nowMs();
    if (isEnded || !round.isComplete() || nowMs < dueAtMs) {
      return;
    }
    long reserved = context.config().batchBytesMax();
    if (!context.shared().bytes().tryReserve(reserved, whenRoom)) {
      return;
    }
    dueAtMs = nowMs + IDLE_MS;
    round =
        askAboutAiling(nowMs)
            .compose(
                asked ->
                    context
                        .ports()
                        .parked()
                        .discardWanted(shard.shard(), shard.claim(), DISCARDED_MAX))
            .compose(this::readDue)
            .onComplete(read -> context.shared().bytes().unreserve(reserved))
            .compose(this::publish)
            .recover(this::onFailed);
    round.onComplete(
        done -> {
          if (dueAtMs == 0) {
            // As a task of its own: a round without anything to wait for must not nest.
            context.vertx().runOnContext(next -> look());
          }
        });
  }

  /** Topics that do not answer are left out until the broker says that they are well. */
  private Future<Void> askAboutAiling(long nowMs) {
    if (ailing.isEmpty() || nowMs < askAtMs) {
      return Future.succeededFuture();
    }
    askAtMs = nowMs + context.config().retryDelayMaxMs();
    return context
        .ports()
        .publisher()
        .ailing(List.copyOf(ailing))
        .onSuccess(still -> ailing.retainAll(still.keySet()))
        .otherwiseEmpty()
        .mapEmpty();
  }

  /** Topics of the round that have not answered since then. */
  Set<String> unanswered(long sinceMs) {
    return stream == null || sentAtMs > sinceMs ? Set.of() : topics;
  }

  /** A topic does not answer although the brokers work: the round that has it is broken off. */
  void quarantine(String topic) {
    PublishStream open = stream;
    if (open != null && topics.contains(topic) && ailing.add(topic)) {
      askAtMs = ShardContext.nowMs() + context.config().retryDelayMaxMs();
      settle(open).onFailure(cause -> LOG.warn("the producer was not discarded", cause));
    }
  }

  /** Something may have become due. */
  void hasten() {
    dueAtMs = 0;
  }

  /** Begins no more rounds; completes when the last one is settled, within the settle time-out. */
  Future<Void> end() {
    isEnded = true;
    PublishStream open = stream;
    return open == null ? round : settle(open).eventually(() -> round);
  }

  private Future<Screening.Screened> readDue(OptionalInt discarded) {
    if (discarded.isEmpty() && !isEnded) {
      shard.fenced();
    }
    if (isEnded) {
      return Future.succeededFuture(Screening.Screened.NOTHING);
    }
    if (discarded.orElse(0) == DISCARDED_MAX) {
      hasten();
    }
    ReadBounds bounds =
        new ReadBounds(
            roundsAlone > 0 ? 1 : context.config().batchRowsMax(),
            context.config().batchBytesMax(),
            context.config().idsScannedMax());
    return context
        .ports()
        .parked()
        .due(shard.shard(), leftOut(), bounds)
        .compose(context.shared().screening()::fill);
  }

  private List<String> leftOut() {
    Set<String> left = new TreeSet<>(ailing);
    left.addAll(shard.quarantined());
    return List.copyOf(left);
  }

  private Future<Void> publish(Screening.Screened screened) {
    if (isEnded || screened.messages().isEmpty()) {
      return Future.succeededFuture();
    }
    // What stands behind a hopeless message stays behind it.
    List<OutboxMessage> messages =
        Sift.of(screened.messages(), Set.of(), screened.hopeless()).publish();
    PublishStream opened = context.ports().publisher().open(context.isLeaseValid());
    stream = opened;
    sentAtMs = ShardContext.nowMs();
    topics.clear();
    messages.forEach(message -> topics.add(message.topic()));
    long bytes = messages.stream().mapToLong(OutboxMessage::bytes).sum();
    context.shared().bytes().add(bytes);
    return published(opened, messages)
        .eventually(() -> settle(opened))
        .onComplete(
            settled -> {
              stream = null;
              context.shared().bytes().remove(bytes);
            })
        .compose(outcome -> record(screened, messages, outcome));
  }

  /** As long as the broker takes: an outage counts as no attempt. */
  private Future<PublishOutcome> published(PublishStream stream, List<OutboxMessage> messages) {
    return messages.isEmpty()
        ? Future.succeededFuture(PublishOutcome.ACKNOWLEDGED)
        : context.config().strictKeyOrder()
            ? KeyWaves.publish(stream, messages)
            : KeyWaves.publishFirstOnesFirst(stream, messages);
  }

  private Future<Void> settle(PublishStream stream) {
    return stream
        .settle()
        .timeout(context.config().settleTimeoutMs(), TimeUnit.MILLISECONDS)
        .recover(late -> context.ports().publisher().discard());
  }

  private Future<Void> record(
      Screening.Screened screened, List<OutboxMessage> sent, PublishOutcome outcome) {
    Map<Long, Refusal> refusals = new HashMap<>();
    outcome.refusals().forEach(refusal -> refusals.put(refusal.message().id(), refusal));
    Set<Long> tried = new HashSet<>();
    sent.forEach(message -> tried.add(message.id()));
    boolean wasAlone = sent.size() == 1;
    List<Long> published = new ArrayList<>();
    List<Long> waiting = new ArrayList<>();
    List<Redriven.Refused> refused = new ArrayList<>();
    boolean isSuspect = false;
    for (OutboxMessage message : screened.messages()) {
      Refusal refusal = refusals.get(message.id());
      String reason = screened.hopeless().get(message.id());
      if (reason != null) {
        refused.add(new Redriven.Refused(message.id(), reason));
      } else if (refusal == null) {
        if (tried.contains(message.id())) {
          published.add(message.id());
        }
      } else if (refusal.kind() == FailureKind.TOPIC) {
        waiting.add(message.id());
      } else if (refusal.kind() == FailureKind.MESSAGE && wasAlone) {
        refused.add(
            new Redriven.Refused(message.id(), String.valueOf(refusal.cause().getMessage())));
      } else {
        isSuspect |= refusal.kind() == FailureKind.MESSAGE;
      }
    }
    roundsAlone = isSuspect ? sent.size() : Math.max(0, roundsAlone - 1);
    if (published.isEmpty() && waiting.isEmpty() && refused.isEmpty()) {
      return Future.succeededFuture();
    }
    return record(
        new Redriven(
            shard.shard(),
            shard.claim(),
            shard.incarnation(),
            published,
            refused,
            waiting,
            context.config().retryDelayMaxMs()));
  }

  private Future<Void> record(Redriven redriven) {
    return context
        .ports()
        .parked()
        .recordRedrive(redriven)
        .map(
            outcome -> {
              switch (outcome) {
                case RECORDED -> {
                  context.shared().metrics().redriven(redriven.published().size());
                  hasten();
                }
                case FENCED -> shard.fenced();
                case OTHER_LIFE, MOVED ->
                    LOG.debug("shard {}: {}, parked messages wait", shard.shard(), outcome);
              }
              return null;
            });
  }

  private Future<Void> onFailed(Throwable cause) {
    LOG.warn("shard {}: parked messages wait: {}", shard.shard(), cause.getMessage());
    dueAtMs = ShardContext.nowMs() + context.config().retryDelayMaxMs();
    return Future.succeededFuture();
  }
}
