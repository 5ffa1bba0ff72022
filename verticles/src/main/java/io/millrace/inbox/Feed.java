package io.millrace.inbox;

import io.millrace.core.inbox.Chain;
import io.millrace.core.inbox.ReceivedRecord;
import io.millrace.core.inbox.StripePosition;
import io.millrace.core.inbox.Stripes;
import io.millrace.core.retry.Backoff;
import io.millrace.port.Source.Assignment;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One assigned topic partition: where it stands, what was read ahead, and the workers of its
 * stripes.
 *
 * <pre>
 *   loading   the position is looked up in the database; nothing is read
 *   reading   records come in and are worked on
 *   settling  given away or stopping: what runs ends, nothing begins
 *   gone
 * </pre>
 *
 * From reading back to loading when the stored position is another one than the one in memory, or
 * when what was asked for is not there any more.
 */
final class Feed {
  private static final Logger LOG = LoggerFactory.getLogger(Feed.class);

  enum State {
    LOADING,
    READING,
    SETTLING,
    GONE
  }

  private final ConsumerSetting setting;
  private final Assignment assignment;
  private final ReadAhead readAhead;
  private final StartPosition startPosition;
  private final Backoff backoff;
  private final List<StripeWorker> workers = new ArrayList<>();
  private final Promise<Void> settled = Promise.promise();

  private State state = State.LOADING;
  private @Nullable Chain chain;
  private @Nullable String reason;
  private @Nullable String reset;
  private long readTo;
  private int readEpoch = -1;
  private int rows;
  private long bytes;
  private int failures;
  private int reloads;
  private boolean isPaused;
  private boolean isLoading;
  private boolean isWaiting;

  Feed(ConsumerSetting setting, Assignment assignment, ReadAhead readAhead) {
    this.setting = setting;
    this.assignment = assignment;
    this.readAhead = readAhead;
    this.startPosition = new StartPosition(setting, assignment);
    this.backoff =
        new Backoff(setting.config().retryDelayMinMs(), setting.config().retryDelayMaxMs());
  }

  Assignment assignment() {
    return assignment;
  }

  State state() {
    return state;
  }

  /**
   * @throws IllegalStateException before it was loaded
   */
  Chain chain() {
    Chain known = chain;
    if (known == null) {
      throw new IllegalStateException(assignment + " has not been loaded");
    }
    return known;
  }

  /** Records below have been handed to the workers. */
  long readTo() {
    return readTo;
  }

  /** The leader epoch of what lies right below {@link #readTo}; -1: not known. */
  int readEpoch() {
    return readEpoch;
  }

  /** The topic's id as it was loaded; null: not yet. */
  @Nullable UUID topicId() {
    Chain known = chain;
    return known == null ? null : known.topicId();
  }

  /** The lowest unfinished position; empty: not known. */
  OptionalLong position() {
    return workers.stream().mapToLong(StripeWorker::to).min();
  }

  /** Why it is not getting on; null: it is. */
  @Nullable String reason() {
    String own = reason;
    if (own != null) {
      return assignment + ": " + own;
    }
    return workers.stream()
        .map(StripeWorker::reason)
        .filter(found -> found != null)
        .findFirst()
        .orElse(null);
  }

  /** Looks up the position and begins to read. */
  void load() {
    if (isLoading
        || isWaiting
        || state != State.LOADING
        || workers.stream().anyMatch(StripeWorker::isRunning)) {
      return;
    }
    isLoading = true;
    startPosition
        .find(reset)
        .onSuccess(this::loaded)
        .onFailure(this::notLoaded)
        .onComplete(found -> isLoading = false);
  }

  private void loaded(StartPosition.Found found) {
    if (state != State.LOADING) {
      return;
    }
    chain = found.chain();
    reset = null;
    reason = null;
    failures = 0;
    workers.clear();
    long lowest = Long.MAX_VALUE;
    int leaderEpoch = -1;
    for (StripePosition position : found.stripes()) {
      workers.add(new StripeWorker(setting, this, position));
      if (position.to() < lowest) {
        lowest = position.to();
        leaderEpoch = position.leaderEpoch();
      }
    }
    readTo = lowest;
    readEpoch = leaderEpoch;
    isPaused = false;
    state = State.READING;
    LOG.info("{}: goes on at {}", chain, lowest);
    setting.ports().source().begin(assignment, lowest, leaderEpoch);
  }

  private void notLoaded(Throwable cause) {
    if (state != State.LOADING) {
      return;
    }
    failures++;
    reason = "the position cannot be looked up: " + cause.getMessage();
    if (failures == 1) {
      LOG.warn("{} on {}: position not found out", setting.consumer().name(), assignment, cause);
    }
    loadLater(failures);
  }

  /** What is in memory does not count any more: look where the consumer stands. */
  void reload(String why) {
    if (state != State.READING) {
      return;
    }
    LOG.warn("{}: {}; looks up where it stands", chain, why);
    state = State.LOADING;
    reason = why;
    setting.ports().source().pause(assignment);
    stopWorkers();
    reloads++;
    if (reloads == 1) {
      load();
    } else {
      loadLater(reloads - 1);
    }
  }

  /** Looking again at once would find the same again, for as long as nothing has got on. */
  private void loadLater(int repetitions) {
    isWaiting = true;
    long delayMs = backoff.delayMs(repetitions, ThreadLocalRandom.current().nextDouble());
    setting
        .context()
        .owner()
        .setTimer(
            delayMs,
            fired -> {
              isWaiting = false;
              load();
            });
  }

  /** As {@link #reload}, and what was asked for is not there any more. */
  void outOfRange(String why) {
    if (state == State.SETTLING || state == State.GONE) {
      return;
    }
    reset = why;
    reload(why);
  }

  void received(List<ReceivedRecord> records) {
    if (state != State.READING) {
      return;
    }
    for (ReceivedRecord record : records) {
      StripeWorker worker = workers.get(Stripes.of(record.key(), workers.size()));
      if (record.offset() < worker.to()) {
        readEpoch = Math.max(readEpoch, record.leaderEpoch());
        continue; // done before a restart that another stripe held back
      }
      if (record.leaderEpoch() >= 0 && record.leaderEpoch() < worker.leaderEpoch()) {
        outOfRange(
            "offset %d has leader epoch %d, after %d: the log is another one"
                .formatted(record.offset(), record.leaderEpoch(), worker.leaderEpoch()));
        return;
      }
      readEpoch = Math.max(readEpoch, record.leaderEpoch());
      Item item = new Item(record, setting.consumer().identity().of(record));
      worker.add(item);
      rows++;
      bytes += item.bytes();
      readAhead.add(item.bytes());
      readTo = record.offset() + 1;
    }
    readTo = Math.max(readTo, records.get(records.size() - 1).offset() + 1);
    if (!isPaused && (rows >= setting.config().bufferRowsMax() || readAhead.isFull())) {
      isPaused = true;
      setting.ports().source().pause(assignment);
    }
    workers.forEach(StripeWorker::wake);
  }

  /** A worker is through with a record. */
  void done(Item item) {
    rows--;
    bytes -= item.bytes();
    readAhead.release(item.bytes());
    resumeIfRoom();
  }

  /** At half of the bound, so that it does not pause and resume with every record. */
  void resumeIfRoom() {
    if (isPaused
        && state == State.READING
        && rows <= setting.config().bufferRowsMax() / 2
        && !readAhead.isFull()) {
      isPaused = false;
      setting.ports().source().resume(assignment);
    }
  }

  /** A worker has moved its stripe on. */
  void advanced() {
    reloads = 0;
    if (state == State.READING || state == State.SETTLING) {
      position().ifPresent(lowest -> setting.ports().source().report(assignment, lowest));
    }
  }

  void keepUp() {
    if (state == State.READING) {
      workers.forEach(StripeWorker::keepUp);
    }
  }

  /** Begins nothing more; completes when nothing runs any more. */
  Future<Void> settle() {
    if (state != State.GONE) {
      state = State.SETTLING;
      stopWorkers();
      workerStopped();
    }
    return settled.future();
  }

  private void stopWorkers() {
    workers.forEach(StripeWorker::stop);
    readAhead.release(bytes);
    rows = 0;
    bytes = 0;
  }

  /** A worker that was stopped has ended what it was at. */
  void workerStopped() {
    if (workers.stream().anyMatch(StripeWorker::isRunning)) {
      return;
    }
    if (state == State.SETTLING) {
      state = State.GONE;
      settled.tryComplete();
    } else {
      load();
    }
  }
}
