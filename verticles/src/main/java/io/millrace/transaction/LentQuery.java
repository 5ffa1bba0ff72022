package io.millrace.transaction;

import io.vertx.core.Future;
import io.vertx.sqlclient.Query;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlResult;
import java.util.function.Function;
import java.util.stream.Collector;

/** A query on a lent connection: executes nothing once that is back. */
record LentQuery<T>(LentConnection lent, Query<T> query) implements Query<T> {

  @Override
  public Future<T> execute() {
    return lent.isBack() ? LentConnection.tooLate() : query.execute();
  }

  @Override
  public <R> Query<SqlResult<R>> collecting(Collector<Row, ?, R> collector) {
    return new LentQuery<>(lent, query.collecting(collector));
  }

  @Override
  public <U> Query<RowSet<U>> mapping(Function<Row, U> mapper) {
    return new LentQuery<>(lent, query.mapping(mapper));
  }
}
