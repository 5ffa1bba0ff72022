package io.millrace.transaction;

import io.vertx.core.Future;
import io.vertx.sqlclient.PreparedQuery;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlResult;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collector;

/** A prepared query on a lent connection: executes nothing once that is back. */
record LentPreparedQuery<T>(LentConnection lent, PreparedQuery<T> query)
    implements PreparedQuery<T> {

  @Override
  public Future<T> execute() {
    return lent.isBack() ? LentConnection.tooLate() : query.execute();
  }

  @Override
  public Future<T> execute(Tuple tuple) {
    return lent.isBack() ? LentConnection.tooLate() : query.execute(tuple);
  }

  @Override
  public Future<T> executeBatch(List<Tuple> batch) {
    return lent.isBack() ? LentConnection.tooLate() : query.executeBatch(batch);
  }

  @Override
  public <R> PreparedQuery<SqlResult<R>> collecting(Collector<Row, ?, R> collector) {
    return new LentPreparedQuery<>(lent, query.collecting(collector));
  }

  @Override
  public <U> PreparedQuery<RowSet<U>> mapping(Function<Row, U> mapper) {
    return new LentPreparedQuery<>(lent, query.mapping(mapper));
  }
}
