package io.millrace.postgres;

import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Requests of several shards as one statement. A statement costs the server and its client more
 * than what a shard asks for under live traffic: a few rows, one receipt. So the requests of one
 * turn of the event loop go together, and those that come while statements are under way wait for
 * each other. A request alone, with nothing under way, goes at once.
 *
 * <p>Any thread may ask.
 *
 * @param <Q> a request
 * @param <A> its answer
 */
final class Gathering<Q, A> {
  private final PgDatabase database;
  private final Limits limits;
  private final ToIntFunction<Q> weight;
  private final Predicate<Throwable> mayRepeat;
  private final Function<List<Q>, Future<List<@Nullable A>>> statement;
  private final Deque<Asked<Q, A>> waiting = new ArrayDeque<>();
  private int underWay;

  /**
   * @param requestsMax of one statement
   * @param weightMax of one statement, unless a single request weighs more
   * @param underWayMax statements at a time that could take more requests: so few that what comes
   *     meanwhile gathers
   * @param fullUnderWayMax statements at a time when there is enough to fill them
   */
  record Limits(int requestsMax, int weightMax, int underWayMax, int fullUnderWayMax) {}

  private record Asked<Q, A>(Q request, Promise<A> answer) {}

  /**
   * @param mayRepeat whether a statement that has failed so may be sent once more: then each of its
   *     requests goes alone, so that what only one of them meets the others do not suffer from
   * @param statement answers several requests, in their order; null: that one is to go alone
   */
  Gathering(
      PgDatabase database,
      Limits limits,
      ToIntFunction<Q> weight,
      Predicate<Throwable> mayRepeat,
      Function<List<Q>, Future<List<@Nullable A>>> statement) {
    this.database = database;
    this.limits = limits;
    this.weight = weight;
    this.mayRepeat = mayRepeat;
    this.statement = statement;
  }

  /** The answer, failed as the statement. */
  Future<A> ask(Q request) {
    Promise<A> answer = Promise.promise();
    synchronized (this) {
      waiting.add(new Asked<>(request, answer));
    }
    database.afterThisTurn(this::pump);
    return answer.future();
  }

  private void pump() {
    for (List<Asked<Q, A>> next = take(); !next.isEmpty(); next = take()) {
      run(next);
    }
  }

  private synchronized List<Asked<Q, A>> take() {
    List<Asked<Q, A>> taken = new ArrayList<>();
    boolean isFull = false;
    int sum = 0;
    for (Asked<Q, A> asked : waiting) {
      sum += weight.applyAsInt(asked.request());
      isFull =
          taken.size() == limits.requestsMax() || (sum > limits.weightMax() && !taken.isEmpty());
      if (isFull) {
        break;
      }
      taken.add(asked);
    }
    if (taken.isEmpty() || underWay >= (isFull ? limits.fullUnderWayMax() : limits.underWayMax())) {
      return List.of();
    }
    taken.forEach(asked -> waiting.remove());
    underWay++;
    return taken;
  }

  private void run(List<Asked<Q, A>> requests) {
    send(requests)
        .onComplete(
            answers -> {
              synchronized (this) {
                underWay--;
              }
              deal(requests, answers);
              pump();
            });
  }

  /** Besides those that are under way: it may wait long for what it meets. */
  private void runAlone(Asked<Q, A> asked) {
    List<Asked<Q, A>> one = List.of(asked);
    send(one).onComplete(answers -> deal(one, answers));
  }

  private Future<List<@Nullable A>> send(List<Asked<Q, A>> requests) {
    return Future.succeededFuture(requests.stream().map(Asked::request).toList())
        .compose(statement);
  }

  private void deal(List<Asked<Q, A>> requests, AsyncResult<List<@Nullable A>> answers) {
    boolean isShared = requests.size() > 1;
    for (int i = 0; i < requests.size(); i++) {
      Asked<Q, A> asked = requests.get(i);
      A answer = answers.succeeded() ? answers.result().get(i) : null;
      if (answer != null) {
        tell(() -> asked.answer().complete(answer));
      } else if (isShared && (answers.succeeded() || mayRepeat.test(answers.cause()))) {
        runAlone(asked);
      } else {
        tell(() -> asked.answer().tryFail(answers.cause()));
      }
    }
  }

  /** Each in a turn of its own: where one goes wrong with its answer, the others have theirs. */
  private void tell(Runnable completion) {
    database.afterThisTurn(completion);
  }
}
