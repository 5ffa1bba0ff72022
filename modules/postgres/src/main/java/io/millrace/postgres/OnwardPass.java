package io.millrace.postgres;

import io.millrace.core.cursor.Read;
import io.millrace.core.cursor.ReadBounds;
import io.millrace.core.cursor.Scope;
import io.millrace.postgres.PgDatabase.Query;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** One pass of the statement that makes several. */
record OnwardPass(int shard, Scope scope, Read.Onward read, ReadBounds bounds) {

  /** The statement for these, in this order: {@code pass} of its rows counts from 1. */
  static Query query(List<OnwardPass> passes) {
    return new Query(
        Statement.READ_ONWARD,
        new Columns<>(passes)
            .shorts(pass -> (short) pass.shard())
            .texts(pass -> pass.read().seen().text())
            .longs(pass -> pass.read().head())
            .integers(pass -> pass.bounds().rowsMax())
            .longs(pass -> pass.bounds().bytesMax())
            .longs(pass -> pass.bounds().idsMax())
            .texts(pass -> pass.scope().lane())
            .texts(pass -> literal(pass.scope().skipped()))
            .values());
  }

  /** No character of a topic means anything in an array literal; but one may be named null. */
  private static String literal(Collection<String> topics) {
    return topics.stream()
        .map(topic -> '"' + topic + '"')
        .collect(Collectors.joining(",", "{", "}"));
  }
}
