package io.millrace.spatial;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;

/**
 * Runs one statement that reads. The server must limit its time: what takes too long is asked for
 * in halves, once the server has said so (SQLSTATE 57014).
 */
@FunctionalInterface
public interface FeatureReader {
  /** Fails with what the server or its client said. */
  Future<RowSet<Row>> read(String sql, Tuple values);
}
