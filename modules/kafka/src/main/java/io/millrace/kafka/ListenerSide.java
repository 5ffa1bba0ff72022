package io.millrace.kafka;

import io.millrace.core.inbox.ReceivedRecord;
import io.millrace.port.Source.Assignment;
import io.millrace.port.Source.Listener;
import io.vertx.core.Context;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listener's end of the source: takes what the poll thread has found over to the context, in
 * order, and drops there what does not count any more by then.
 */
final class ListenerSide {
  private static final Logger LOG = LoggerFactory.getLogger(ListenerSide.class);

  /** Deliveries on their way to the context; while there are so many, nothing is read. */
  private static final int ON_THEIR_WAY_MAX = 4;

  private final Context context;
  private final Listener listener;
  private final AtomicInteger onTheirWay = new AtomicInteger();
  private volatile Runnable whenRoom = () -> {};
  private volatile boolean isClosed;

  // On the context.
  private final Map<Assignment, HeldPartition> held = new HashMap<>();

  ListenerSide(Context context, Listener listener) {
    this.context = context;
    this.listener = listener;
  }

  /** On the context: null once the listener has heard that it is over. */
  @Nullable HeldPartition find(Assignment assignment) {
    return held.get(assignment);
  }

  /** Nothing is told any more. */
  void close() {
    isClosed = true;
  }

  /** Called on the context when it is not full any more. */
  void whenRoom(Runnable action) {
    whenRoom = action;
  }

  /** Also when the event loop has ended: nobody hears anything any more. */
  boolean isClosed() {
    return isClosed;
  }

  boolean isFull() {
    return onTheirWay.get() >= ON_THEIR_WAY_MAX;
  }

  void assigned(List<HeldPartition> partitions) {
    tell(
        () -> {
          partitions.forEach(partition -> held.put(partition.assignment(), partition));
          listener.assigned(assignments(partitions));
        });
  }

  /** Completes when the listener has settled, whether that has failed or not. */
  CompletableFuture<Void> revoked(List<HeldPartition> partitions) {
    CompletableFuture<Void> settled = new CompletableFuture<>();
    tell(
        () -> {
          partitions.forEach(partition -> held.remove(partition.assignment()));
          settle(assignments(partitions)).onComplete(done -> settled.complete(null));
        });
    return settled;
  }

  /** The thread that waits for it must not depend on how it ends. */
  private Future<Void> settle(List<Assignment> assignments) {
    try {
      return listener
          .revoked(assignments)
          .onFailure(failure -> LOG.warn("{} did not settle in order", assignments, failure));
    } catch (RuntimeException e) {
      LOG.error("The listener has failed when {} were revoked", assignments, e);
      return Future.failedFuture(e);
    }
  }

  void lost(List<HeldPartition> partitions) {
    tell(
        () -> {
          partitions.forEach(partition -> held.remove(partition.assignment()));
          listener.lost(assignments(partitions));
        });
  }

  void received(HeldPartition partition, List<ReceivedRecord> records) {
    int begins = partition.followed();
    onTheirWay.incrementAndGet();
    tell(
        () -> {
          if (onTheirWay.decrementAndGet() == ON_THEIR_WAY_MAX - 1) {
            whenRoom.run();
          }
          if (partition.counts(begins)) {
            listener.received(partition.assignment(), records);
          }
        });
  }

  /**
   * @param begins for which of the begins that was found
   */
  void outOfRange(HeldPartition partition, int begins, String reason) {
    tell(
        () -> {
          if (partition.counts(begins)) {
            listener.outOfRange(partition.assignment(), reason);
          }
        });
  }

  void state(@Nullable Throwable failure) {
    tell(() -> listener.state(failure));
  }

  private void tell(Runnable news) {
    if (isClosed) {
      return;
    }
    try {
      context.runOnContext(arrived -> runUnlessClosed(news));
    } catch (RejectedExecutionException e) {
      LOG.warn("The event loop has ended before its source was closed", e);
      isClosed = true;
    }
  }

  private void runUnlessClosed(Runnable news) {
    if (!isClosed) {
      news.run();
    }
  }

  private static List<Assignment> assignments(List<HeldPartition> partitions) {
    return partitions.stream().map(HeldPartition::assignment).toList();
  }
}
