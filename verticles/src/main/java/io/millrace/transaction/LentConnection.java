package io.millrace.transaction;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.sqlclient.PrepareOptions;
import io.vertx.sqlclient.PreparedQuery;
import io.vertx.sqlclient.PreparedStatement;
import io.vertx.sqlclient.Query;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Transaction;
import io.vertx.sqlclient.spi.DatabaseMetadata;
import org.jspecify.annotations.Nullable;

/**
 * A connection that foreign code may use for as long as its transaction is open, and not after. The
 * driver would go on executing what comes later on a connection that is back in its pool: by itself
 * and committed at once, or in the middle of somebody else's transaction.
 *
 * <p>Neither the transaction nor the session is the borrower's to end: {@link #begin}, {@link
 * #prepare} and {@link #close} fail.
 */
public final class LentConnection implements SqlConnection {
  private final SqlConnection connection;
  private volatile boolean isBack;

  public LentConnection(SqlConnection connection) {
    this.connection = connection;
  }

  /** From now on it executes nothing; what was sent before is ahead of what the lender sends. */
  public void takeBack() {
    isBack = true;
  }

  boolean isBack() {
    return isBack;
  }

  static <T> Future<T> tooLate() {
    return Future.failedFuture(
        new IllegalStateException("the transaction of this connection has ended"));
  }

  @Override
  public Query<RowSet<Row>> query(String sql) {
    return new LentQuery<>(this, connection.query(sql));
  }

  @Override
  public PreparedQuery<RowSet<Row>> preparedQuery(String sql) {
    return new LentPreparedQuery<>(this, connection.preparedQuery(sql));
  }

  @Override
  public PreparedQuery<RowSet<Row>> preparedQuery(String sql, PrepareOptions options) {
    return new LentPreparedQuery<>(this, connection.preparedQuery(sql, options));
  }

  /** Statements are prepared by {@link #preparedQuery} and kept with the connection anyway. */
  @Override
  public Future<PreparedStatement> prepare(String sql) {
    return refused("prepare statements by preparedQuery");
  }

  @Override
  public Future<PreparedStatement> prepare(String sql, PrepareOptions options) {
    return prepare(sql);
  }

  @Override
  public SqlConnection exceptionHandler(@Nullable Handler<Throwable> handler) {
    return this;
  }

  @Override
  public SqlConnection closeHandler(@Nullable Handler<Void> handler) {
    return this;
  }

  @Override
  public Future<Transaction> begin() {
    return refused("a transaction is open already");
  }

  @Override
  public @Nullable Transaction transaction() {
    return null;
  }

  @Override
  public boolean isSSL() {
    return connection.isSSL();
  }

  @Override
  public DatabaseMetadata databaseMetadata() {
    return connection.databaseMetadata();
  }

  @Override
  public Future<Void> close() {
    return refused("the connection is only lent");
  }

  private static <T> Future<T> refused(String why) {
    return Future.failedFuture(new UnsupportedOperationException(why));
  }
}
