package io.millrace.postgres;

import io.millrace.core.config.DatabaseConfig;
import io.millrace.core.config.Pooler;
import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClientOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One pool of connections, and the two ways in which this module uses it: a statement by itself,
 * and the transaction of a pass. Every wait is bounded; every failure leaves as a classified {@link
 * io.millrace.core.failure.Failure}. Behind a pooler a statement by itself has a transaction around
 * it, for the sake of its limits.
 */
public final class PgDatabase {
  /**
   * Requests that may wait for a connection: a burst of claims and passes of every shard of a node.
   */
  private static final int WAIT_QUEUE_MAX = 1_000;

  /**
   * The server cancels a statement at its own limit first; the client's limit is for a connection
   * that is dead.
   */
  private static final long CLIENT_LIMIT_EXTRA_MS = 2_000;

  private final Vertx vertx;
  private final Pool pool;
  private final long poolWaitMsMax;
  private final long statementLimitMs;

  /** Sent in each transaction that needs a limit; null: the session has one. */
  private final @Nullable String limitStatements;

  private volatile Consumer<String> onRefusal = sqlState -> {};

  private PgDatabase(Vertx vertx, Pool pool, DatabaseConfig config) {
    this.vertx = vertx;
    this.pool = pool;
    this.poolWaitMsMax = config.poolWaitMsMax();
    this.statementLimitMs = config.statementTimeoutMs() + CLIENT_LIMIT_EXTRA_MS;
    this.limitStatements =
        config.pooler() == Pooler.NONE
            ? null
            : Statement.LIMIT_STATEMENTS
                .text()
                .replaceFirst("/\\*ms\\*/[0-9]+", Long.toString(config.statementTimeoutMs()));
  }

  /** Makes the pool; connections are made when they are needed. */
  public static PgDatabase open(Vertx vertx, DatabaseConfig config, String applicationName) {
    return open(vertx, config, applicationName, 0);
  }

  /**
   * As {@link #open(Vertx, DatabaseConfig, String)}, for connections on which foreign code waits.
   *
   * @param silentSecondsMax a connection from which nothing has come for so long is closed,
   *     whatever waits for it: a server that went without a word would be waited for until TCP
   *     gives up; 0: never
   */
  public static PgDatabase open(
      Vertx vertx, DatabaseConfig config, String applicationName, int silentSecondsMax) {
    PgConnectOptions connect = ConnectOptions.of(config, applicationName);
    PoolOptions options =
        new PoolOptions()
            .setMaxSize(config.poolSizeMax())
            .setMaxWaitQueueSize(WAIT_QUEUE_MAX)
            .setConnectionTimeout(0)
            .setName(applicationName);
    NetClientOptions transport =
        new NetClientOptions()
            .setTcpKeepAlive(true)
            .setReadIdleTimeout(silentSecondsMax)
            .setConnectTimeout((int) config.connectTimeoutMs());
    Pool pool =
        PgBuilder.pool().with(options).with(transport).connectingTo(connect).using(vertx).build();
    return new PgDatabase(vertx, pool, config);
  }

  /**
   * Has a listener told the SQLSTATE of every statement of Millrace's own that the server refuses,
   * on whichever event loop it ran. Those of {@link #pool()} are their owner's.
   */
  public void onRefusal(Consumer<String> listener) {
    onRefusal = listener;
  }

  /** For transactions of an application's own. */
  public Pool pool() {
    return pool;
  }

  /**
   * Runs one statement that is not of this module, as its own are run: in a transaction of its own,
   * with all their limits.
   *
   * @return failed with what the server or its client said, not classified; or with a transient
   *     {@link Failure} when no connection was free
   */
  public Future<RowSet<Row>> runForeign(String sql, Tuple values) {
    return limited(connection -> runOne(connection, sql, values));
  }

  /** Runs one statement in a transaction of its own. */
  Future<RowSet<Row>> run(Statement statement, Tuple values) {
    return withConnection(statement, connection -> runOne(connection, statement.text(), values));
  }

  private Future<RowSet<Row>> runOne(SqlConnection connection, String sql, Tuple values) {
    if (limitStatements == null) {
      return connection.preparedQuery(sql).execute(values);
    }
    return inTransaction(
            connection, Statement.BEGIN_STATEMENT, List.of(new ForeignQuery(sql, values)))
        .map(answers -> answers.get(0));
  }

  /** As {@link #run}, for a statement that returns exactly one row. */
  <T> Future<T> runForOne(Statement statement, Tuple values, Function<Row, T> mapping) {
    return run(statement, values).map(rows -> mapping.apply(rows.iterator().next()));
  }

  /** A statement and its values. */
  record Query(Statement statement, Tuple values) {
    private ForeignQuery text() {
      return new ForeignQuery(statement.text(), values);
    }
  }

  private record ForeignQuery(String sql, Tuple values) {}

  /**
   * Runs statements in the read-only transaction of a pass, all in its one snapshot. Begin,
   * statements and commit leave in one go: three answers to wait for would triple the time of a
   * pass on a long way.
   */
  Future<List<RowSet<Row>>> runPass(List<Query> queries) {
    List<ForeignQuery> texts = queries.stream().map(Query::text).toList();
    return withConnection(
        queries.get(0).statement(),
        connection -> inTransaction(connection, Statement.BEGIN_PASS, texts));
  }

  /** Runs it when the event loop has done what it does just now. */
  void afterThisTurn(Runnable work) {
    vertx.runOnContext(turn -> work.run());
  }

  /** Whatever the work does, it must have done when its future ends; failures are classified. */
  <T> Future<T> withConnection(Statement statement, Function<SqlConnection, Future<T>> work) {
    return limited(work).recover(cause -> Future.failedFuture(PgFailures.of(statement, cause)));
  }

  private <T> Future<T> limited(Function<SqlConnection, Future<T>> work) {
    return acquire()
        .compose(
            connection ->
                work.apply(connection)
                    .timeout(statementLimitMs, TimeUnit.MILLISECONDS)
                    .onFailure(cause -> DeadConnection.dropIfSilent(connection, cause))
                    .eventually(() -> connection.close()))
        .onFailure(this::tell);
  }

  private void tell(Throwable cause) {
    if (cause instanceof PgException refused && refused.getSqlState() != null) {
      onRefusal.accept(refused.getSqlState());
    }
  }

  /**
   * The pool's own time-out is not used: a connection that comes at the very moment of it is lost
   * to the pool for ever. Here one that comes too late goes back.
   */
  private Future<SqlConnection> acquire() {
    Promise<SqlConnection> acquired = Promise.promise();
    long timer =
        vertx.setTimer(
            poolWaitMsMax,
            late ->
                acquired.tryFail(
                    new Failure(
                        FailureKind.TRANSIENT,
                        "no connection was free within database.pool_wait_ms_max = "
                            + poolWaitMsMax,
                        null)));
    pool.getConnection()
        .onSuccess(
            connection -> {
              vertx.cancelTimer(timer);
              if (!acquired.tryComplete(connection)) {
                connection.close();
              }
            })
        .onFailure(
            cause -> {
              vertx.cancelTimer(timer);
              acquired.tryFail(cause);
            });
    return acquired.future();
  }

  private Future<List<RowSet<Row>>> inTransaction(
      SqlConnection connection, Statement begin, List<ForeignQuery> queries) {
    List<Future<?>> steps = new ArrayList<>();
    List<Future<RowSet<Row>>> answers = new ArrayList<>();
    steps.add(connection.query(begin.text()).execute());
    if (limitStatements != null) {
      steps.add(connection.query(limitStatements).execute());
    }
    for (ForeignQuery query : queries) {
      answers.add(connection.preparedQuery(query.sql()).execute(query.values()));
    }
    steps.addAll(answers);
    steps.add(connection.query("commit").execute());
    return Future.join(steps).map(all -> answers.stream().map(Future::result).toList());
  }

  /** Waits at most 2 s for the server to take the good-byes. */
  public Future<Void> close() {
    return pool.close()
        .timeout(CLIENT_LIMIT_EXTRA_MS, TimeUnit.MILLISECONDS)
        .recover(silent -> Future.succeededFuture());
  }
}
