package io.millrace.kafka;

import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.port.Source;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Reads Kafka as one member of a consumer group, on a thread of its own, {@code
 * millrace-inbox-<group id>}. An absent broker or a missing topic is waited for.
 *
 * <p>A topic partition begins paused, and {@link #begin} also ends a pause. A failure of reading is
 * told once, with kind and cause, and its end when polls have worked for 3 s; a consumer that is of
 * no use after it is replaced by a fresh one, which is assigned everything anew. The listener
 * should hear quickly: with 4 deliveries on their way to it, nothing more is read.
 *
 * <p>A topic that is deleted and made anew is told as out of range, or assigned anew, or, when it
 * has grown beyond the position before the client looks, read on without a word: compare topic ids.
 *
 * <p>All calls belong to the context on which {@link #start} was called.
 */
public final class KafkaSource implements Source {
  /** Leaving the group, the last commit, and what a poll takes. */
  private static final Duration END_MAX = Duration.ofSeconds(15);

  private final Vertx vertx;
  private final SourceSettings settings;
  private final Map<String, Object> properties;
  private final IsolationLevel isolation;
  private final TopicQueries queries;
  private final ProgressReports reports = new ProgressReports();

  private @Nullable Running running;
  private @Nullable Future<Void> closing;

  private record Running(PollThread thread, ListenerSide side) {}

  private KafkaSource(
      Vertx vertx, SourceSettings settings, Map<String, Object> properties, TopicQueries queries) {
    this.vertx = vertx;
    this.settings = settings;
    this.properties = properties;
    this.isolation = ConsumerProperties.isolation(properties);
    this.queries = queries;
  }

  /**
   * Checks the settings; connects to nothing yet. Blocks while names are resolved and key stores
   * are read: not for an event loop.
   *
   * @throws IllegalArgumentException when a property must not be changed
   * @throws KafkaException when a property is wrong, or no bootstrap server has an address
   */
  public static KafkaSource create(Vertx vertx, SourceSettings settings) {
    Map<String, Object> properties = ConsumerProperties.of(settings);
    Admin admin =
        Admin.create(ClientProperties.admin(settings.bootstrapServers(), settings.properties()));
    return new KafkaSource(vertx, settings, properties, new TopicQueries(vertx, admin));
  }

  /** Fails with an {@link IllegalStateException} when it was called before, or is closed. */
  @Override
  public Future<Void> start(Listener listener) {
    if (running != null || closing != null) {
      return Future.failedFuture(
          new IllegalStateException(
              "the source of group %s starts once".formatted(settings.groupId())));
    }
    Context context = vertx.getOrCreateContext();
    ListenerSide side = new ListenerSide(context, listener);
    PollThread thread = new PollThread(settings, properties, side, reports);
    side.whenRoom(thread::nudge);
    running = new Running(thread, side);
    Promise<Void> started = Promise.promise();
    thread.start(() -> context.runOnContext(polling -> started.complete()));
    return started.future();
  }

  /**
   * {@inheritDoc} With a leader epoch the broker is asked first, for up to 3 s: a consumer that is
   * given an epoch which the broker has never had refuses to believe in any leader from then on,
   * and stands still without a word. If the broker does not answer, the epoch is taken as it is.
   *
   * @throws IllegalArgumentException when the offset is negative
   */
  @Override
  public void begin(Assignment assignment, long offset, int leaderEpoch) {
    if (offset < 0) {
      throw new IllegalArgumentException(
          "%s has no offset %d: offsets begin at 0".formatted(assignment, offset));
    }
    wish(
        assignment,
        partition -> {
          if (leaderEpoch < 0) {
            partition.beginAt(partition.begin(), new OffsetAndMetadata(offset));
          } else {
            beginChecked(partition, offset, leaderEpoch);
          }
        });
  }

  private void beginChecked(HeldPartition partition, long offset, int leaderEpoch) {
    int begins = partition.begin();
    queries
        .leaderEpoch(partition.topicPartition())
        .otherwise(Optional.empty())
        .onSuccess(newest -> beginOrRefuse(partition, begins, offset, leaderEpoch, newest));
  }

  private void beginOrRefuse(
      HeldPartition partition, int begins, long offset, int leaderEpoch, Optional<Integer> newest) {
    Running current = running;
    if (current == null) {
      return;
    }
    if (newest.isPresent() && newest.get() < leaderEpoch) {
      String reason =
          MissingOffset.epochTooHigh(partition.topicPartition(), leaderEpoch, newest.get());
      current.side().outOfRange(partition, begins, reason);
    } else {
      Optional<Integer> epoch = Optional.of(leaderEpoch);
      partition.beginAt(begins, new OffsetAndMetadata(offset, epoch, ""));
      current.thread().nudge();
    }
  }

  @Override
  public void pause(Assignment assignment) {
    wish(assignment, partition -> partition.pause(true));
  }

  @Override
  public void resume(Assignment assignment) {
    wish(assignment, partition -> partition.pause(false));
  }

  private void wish(Assignment assignment, Consumer<HeldPartition> wish) {
    Running current = running;
    HeldPartition partition = current == null ? null : current.side().find(assignment);
    if (current != null && partition != null) {
      wish.accept(partition);
      current.thread().nudge();
    }
  }

  /** Committed about once a second, and once more when the topic partition is given back. */
  @Override
  public void report(Assignment assignment, long offset) {
    reports.report(assignment, offset);
  }

  /**
   * {@inheritDoc} The end is the first offset that may not be read yet: with {@code
   * isolation.level=read_committed}, that of the first open transaction.
   *
   * @return fails with a {@link Failure} when the broker does not answer within 3 s or forbids it
   */
  @Override
  public Future<OffsetRange> offsets(Assignment assignment) {
    TopicPartition topicPartition =
        new TopicPartition(assignment.topic(), assignment.topicPartition());
    return queries
        .offsets(topicPartition, isolation)
        .recover(
            failure ->
                Future.failedFuture(
                    TopicQueries.failure(
                        "the offsets of %s cannot be read".formatted(assignment), failure)));
  }

  /** As of the last 0.2 s; empty before {@link #begin} and until it has been followed. */
  @Override
  public OptionalLong lag(Assignment assignment) {
    Running current = running;
    HeldPartition partition = current == null ? null : current.side().find(assignment);
    return partition == null ? OptionalLong.empty() : partition.lag();
  }

  /**
   * {@inheritDoc} Not even about topic partitions that are given back by that: settle what runs
   * before. Leaving takes 5 s at most, and what was reported is committed before, within 1 s. May
   * be repeated.
   */
  @Override
  public Future<Void> close() {
    Future<Void> close = closing;
    if (close == null) {
      Running current = running;
      if (current != null) {
        current.side().close();
        current.thread().close();
      }
      close = vertx.executeBlocking(() -> awaitEnd(current), false);
      closing = close;
    }
    return close;
  }

  private @Nullable Void awaitEnd(@Nullable Running ending) throws InterruptedException {
    boolean isEnded = ending == null || ending.thread().join(END_MAX);
    queries.close();
    if (!isEnded) {
      throw new Failure(
          FailureKind.BROKEN,
          "the thread of group %s has not ended within %s".formatted(settings.groupId(), END_MAX),
          null);
    }
    return null;
  }
}
