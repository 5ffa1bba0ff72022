package io.millrace.postgres;

import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.pgclient.PgException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;

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
  private final Function<List<Q>, Future<List<A>>> statement;
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
   * @param statement answers several requests, in their order
   */
  Gathering(
      PgDatabase database,
      Limits limits,
      ToIntFunction<Q> weight,
      Function<List<Q>, Future<List<A>>> statement) {
    this.database = database;
    this.limits = limits;
    this.weight = weight;
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
    statement
        .apply(requests.stream().map(Asked::request).toList())
        .onComplete(
            answers -> {
              synchronized (this) {
                underWay--;
              }
              deal(requests, answers);
              pump();
            });
  }

  private void deal(List<Asked<Q, A>> requests, AsyncResult<List<A>> answers) {
    if (answers.failed() && requests.size() > 1 && isRefused(answers.cause())) {
      requests.forEach(this::runAlone);
      return;
    }
    for (int i = 0; i < requests.size(); i++) {
      Promise<A> promise = requests.get(i).answer();
      if (answers.succeeded()) {
        promise.complete(answers.result().get(i));
      } else {
        promise.fail(answers.cause());
      }
    }
  }

  /**
   * The server has said no, so nothing has been done, and it may have said it to one of them: of a
   * row that cannot be read, say. The others shall not suffer for it.
   */
  private static boolean isRefused(Throwable cause) {
    return cause.getCause() instanceof PgException
        && Failure.kindOf(cause) != FailureKind.UNKNOWN_OUTCOME;
  }

  private void runAlone(Asked<Q, A> asked) {
    synchronized (this) {
      underWay++;
    }
    run(List.of(asked));
  }
}
