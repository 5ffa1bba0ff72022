package io.millrace.relay;

import io.millrace.core.cursor.ReadBounds;
import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.message.OutboxMessage;
import io.millrace.core.retry.Backoff;
import io.millrace.port.PublishOutcome;
import io.millrace.port.PublishOutcome.Refusal;
import io.millrace.port.PublishStream;
import io.millrace.port.Publisher.Ailment;
import io.millrace.port.ReplayPage;
import io.millrace.port.ReplayProgress;
import io.millrace.port.ReplayTask;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes once more what an operator has asked for of a shard, a page at a time, beside its live
 * messages.
 *
 * <pre>
 *   FREE --(the watch gives a task)--> READING --> PUBLISHING --> [CHECKPOINT] --> PAUSING --(timer)--> READING
 *   any --(the shard's part is done, the replay has ended, its row is another one)--> FREE
 * </pre>
 *
 * <p>Pages go out in id order, one at a time, in streams of their own; no transaction is open
 * meanwhile. Receipts and lanes are not touched. A page is read only while the main lane keeps up:
 * live messages go first. After a crash, or any doubt about a checkpoint, the shard goes on from
 * the position that is recorded, and repeats what came after it.
 */
final class Replayer {
  private static final Logger LOG = LoggerFactory.getLogger(Replayer.class);

  /** Looks whether live messages still go first, in milliseconds. */
  private static final long YIELD_MS = 50;

  /** Between pages at least, for those in which nothing was found. */
  private static final long PAUSE_MS_MIN = 5;

  private static final long NO_TIMER = -1;

  /** Instead of a delay: there is nothing to go on with. */
  private static final long FREE = -1;

  private final ShardRelay shard;
  private final ShardContext context;
  private final Backoff backoff;
  private final Runnable whenRoom = this::next;

  private @Nullable ReplayRun run;
  private Future<?> step = Future.succeededFuture();
  private long timer = NO_TIMER;
  private boolean isEnded;

  private @Nullable PublishStream stream;

  /** Of what the stream has, and when it was handed over. */
  private final Set<String> topics = new TreeSet<>();

  private long sentAtMs;

  /** Topics to ask about before anything more is sent to them. */
  private final Set<String> ailing = new TreeSet<>();

  /** What is to be published, and until when ids are done then. */
  private record Filled(ReplayPage page, Screening.Screened screened) {
    long bytes() {
      return BytesInFlight.of(screened.messages());
    }
  }

  Replayer(ShardRelay shard, ShardContext context) {
    this.shard = shard;
    this.context = context;
    this.backoff =
        new Backoff(context.config().retryDelayMinMs(), context.config().retryDelayMaxMs());
  }

  /** Nothing is under way. */
  boolean isFree() {
    return !isEnded && run == null && step.isComplete();
  }

  /** Begins with a task, or goes on with one that another owner has begun. */
  void begin(ReplayTask task) {
    if (isFree()) {
      LOG.info("shard {}: replay {} from id {}", shard.shard(), task.replay(), task.position());
      run = new ReplayRun(task, ShardContext.nowMs());
      next();
    }
  }

  private void next() {
    ReplayRun current = run;
    if (isEnded || current == null || !step.isComplete() || timer != NO_TIMER) {
      return;
    }
    if (!shard.isKeepingUp() || !context.isLeaseValid().getAsBoolean()) {
      current.waitsFor("live messages of the shard go first", ShardContext.nowMs());
      follow(checkpoint(current, null, YIELD_MS));
      return;
    }
    ReadBounds bounds =
        new ReadBounds(
            current.rowsMax(context.config().batchRowsMax()),
            context.config().batchBytesMax(),
            context.config().idsScannedMax());
    if (context.shared().bytes().tryReserve(BytesInFlight.most(bounds), whenRoom)) {
      follow(page(current, bounds));
    }
  }

  /** The answer of a step is the pause after it. */
  private void follow(Future<Long> taken) {
    step = taken;
    taken.onSuccess(
        delayMs -> {
          if (!isEnded && delayMs == FREE) {
            run = null;
          } else if (!isEnded) {
            timer = context.vertx().setTimer(Math.max(PAUSE_MS_MIN, delayMs), this::onTimer);
          }
        });
  }

  private void onTimer(long fired) {
    timer = NO_TIMER;
    next();
  }

  /** Never fails. */
  private Future<Long> page(ReplayRun current, ReadBounds bounds) {
    long startedMs = ShardContext.nowMs();
    BytesInFlight bytes = context.shared().bytes();
    return context
        .ports()
        .replays()
        .read(shard.shard(), current.replay(), current.position(), bounds)
        .compose(this::fill)
        .onSuccess(filled -> bytes.add(filled.bytes()))
        .onComplete(read -> bytes.unreserve(BytesInFlight.most(bounds)))
        .compose(
            filled ->
                publish(current, filled, startedMs)
                    .onComplete(done -> bytes.remove(filled.bytes())))
        .recover(cause -> onFailed(current, String.valueOf(cause.getMessage())));
  }

  /** Late-bound payloads are resolved anew. */
  private Future<Filled> fill(ReplayPage page) {
    return context
        .shared()
        .screening()
        .fill(page.messages())
        .map(screened -> new Filled(page, screened));
  }

  private Future<Long> publish(ReplayRun current, Filled filled, long startedMs) {
    ReplayPage.Task task = filled.page().task();
    if (isEnded || task == null || !filled.page().incarnation().isSameAs(current.incarnation())) {
      return Future.succeededFuture(FREE);
    }
    current.reads(task);
    List<OutboxMessage> marked =
        filled.screened().messages().stream()
            .map(message -> message.replayed(current.replay(), task.targetTopic()))
            .toList();
    return askAboutAiling(marked)
        .compose(
            ill -> {
              if (!ill.isEmpty()) {
                return onAiling(current, ill);
              }
              ReplayBatch batch =
                  new ReplayBatch(marked, filled.screened().hopeless(), this::handOver);
              return batch.publish().compose(done -> onPublished(current, batch, task, startedMs));
            });
  }

  /**
   * A topic that has not answered, or has a lane of its own, gets nothing before the broker says
   * that it is well: what it leaves unanswered can be had back only by discarding the producer.
   */
  private Future<Map<String, Ailment>> askAboutAiling(List<OutboxMessage> messages) {
    Set<String> doubtful = new TreeSet<>(shard.quarantined());
    doubtful.addAll(ailing);
    Set<String> wanted = new TreeSet<>();
    messages.forEach(message -> wanted.add(message.topic()));
    doubtful.retainAll(wanted);
    return doubtful.isEmpty()
        ? Future.succeededFuture(Map.of())
        : context
            .ports()
            .publisher()
            .ailing(List.copyOf(doubtful))
            .onSuccess(ill -> ailing.retainAll(ill.keySet()));
  }

  private Future<Long> onAiling(ReplayRun current, Map<String, Ailment> ill) {
    for (Map.Entry<String, Ailment> one : ill.entrySet()) {
      if (one.getValue().isGone()) {
        return fail(current, "topic " + one.getKey() + ": " + one.getValue().reason());
      }
    }
    Map.Entry<String, Ailment> first = ill.entrySet().iterator().next();
    return onFailed(current, "topic " + first.getKey() + ": " + first.getValue().reason());
  }

  /** Waits as long as the broker takes, for the answers to all of it; never fails. */
  private Future<PublishOutcome> handOver(List<OutboxMessage> messages) {
    if (isEnded) {
      Failure why = new Failure(FailureKind.TRANSIENT, "the shard is given back", null);
      return Future.succeededFuture(
          new PublishOutcome(
              messages.stream().map(m -> new Refusal(m, why.kind(), why, false)).toList()));
    }
    PublishStream opened = context.ports().publisher().open(context.isLeaseValid());
    stream = opened;
    sentAtMs = ShardContext.nowMs();
    topics.clear();
    messages.forEach(message -> topics.add(message.topic()));
    Future<PublishOutcome> outcome =
        context.config().strictKeyOrder()
            ? KeyWaves.publish(opened, messages)
            : opened.publish(messages);
    return outcome
        .eventually(() -> settle(opened).otherwiseEmpty())
        .onComplete(settled -> stream = null);
  }

  private Future<Void> settle(PublishStream open) {
    return open.settle()
        .timeout(context.config().settleTimeoutMs(), TimeUnit.MILLISECONDS)
        .recover(late -> context.ports().publisher().discard());
  }

  private Future<Long> onPublished(
      ReplayRun current, ReplayBatch batch, ReplayPage.Task task, long startedMs) {
    current.passed(batch, task);
    context.shared().metrics().replayed(batch.sent());
    long restMs = startedMs + current.durationMs(batch.sent()) - ShardContext.nowMs();
    Refusal stopper = batch.stopper();
    if (stopper == null) {
      return checkpoint(current, null, restMs);
    }
    String reason = String.valueOf(Flight.toFailure(stopper).getMessage());
    return stopper.kind() == FailureKind.TOPIC
        ? fail(current, reason)
        : onFailed(current, reason)
            .map(delayMs -> delayMs == FREE ? FREE : Math.max(delayMs, restMs));
  }

  /** Waits and tries again, from where it is. */
  private Future<Long> onFailed(ReplayRun current, String reason) {
    int failures = current.failed(reason, ShardContext.nowMs());
    if (failures == 1) {
      LOG.warn("shard {}: replay {} waits: {}", shard.shard(), current.replay(), reason);
    }
    return checkpoint(
        current, null, backoff.delayMs(failures, ThreadLocalRandom.current().nextDouble()));
  }

  /** The whole replay ends here, in all shards. */
  private Future<Long> fail(ReplayRun current, String reason) {
    LOG.warn("shard {}: replay {} has failed: {}", shard.shard(), current.replay(), reason);
    return checkpoint(current, reason, FREE);
  }

  /** Records what is to be recorded, if it is time. */
  private Future<Long> checkpoint(ReplayRun current, @Nullable String failure, long delayMs) {
    boolean isDue = failure != null || current.isCheckpointDue(ShardContext.nowMs());
    if (!isDue || isEnded) {
      return Future.succeededFuture(Math.max(0, delayMs));
    }
    return record(current, failure)
        .map(
            recorded ->
                recorded && !current.isDone() && failure == null ? Math.max(0, delayMs) : FREE);
  }

  /** Never fails. False: nothing more is known of where the shard stands, or is to be done here. */
  private Future<Boolean> record(ReplayRun current, @Nullable String failure) {
    long nowMs = ShardContext.nowMs();
    ReplayProgress progress = current.progress(shard.shard(), shard.claim(), failure, nowMs);
    return context
        .ports()
        .replays()
        .record(progress)
        .map(
            outcome -> {
              switch (outcome) {
                case RECORDED -> {
                  current.recorded(progress, nowMs);
                  return true;
                }
                case FENCED -> shard.fenced();
                case OTHER_LIFE, MOVED ->
                    LOG.debug("shard {}: replay {}: {}", shard.shard(), current.replay(), outcome);
              }
              return false;
            })
        .recover(
            cause -> {
              // Written or not: the row tells.
              LOG.warn(
                  "shard {}: a checkpoint of replay {} is in doubt: {}",
                  shard.shard(),
                  current.replay(),
                  cause.getMessage());
              return Future.succeededFuture(false);
            });
  }

  /** Topics that have not answered since then. */
  Set<String> unanswered(long sinceMs) {
    return stream == null || sentAtMs > sinceMs ? Set.of() : Set.copyOf(topics);
  }

  /** A topic does not answer although the brokers work: the page that has it is broken off. */
  void quarantine(String topic) {
    PublishStream open = stream;
    if (open != null && topics.contains(topic) && ailing.add(topic)) {
      settle(open).onFailure(cause -> LOG.warn("the producer was not discarded", cause));
    }
  }

  /**
   * Reads and sends no more, settles what is on its way and records it. Completes within about the
   * settle time-out; the claim may be released then.
   */
  Future<Void> stop() {
    return end().transform(done -> step).transform(done -> recordLast());
  }

  private Future<Void> recordLast() {
    ReplayRun current = run;
    return current == null || !current.hasProgress()
        ? Future.succeededFuture()
        : record(current, null).mapEmpty();
  }

  /** Reads, sends and records no more. Completes when what is on its way is settled. */
  Future<Void> end() {
    isEnded = true;
    context.vertx().cancelTimer(timer);
    timer = NO_TIMER;
    PublishStream open = stream;
    return open == null ? Future.succeededFuture() : settle(open).otherwiseEmpty();
  }
}
