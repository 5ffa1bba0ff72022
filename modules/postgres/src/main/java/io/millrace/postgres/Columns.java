package io.millrace.postgres;

import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Records as the values of a statement that takes several at once: an array for each of its
 * parameters, in the order in which they are added.
 */
final class Columns<T> {
  private final List<T> rows;
  private final Tuple values = Tuple.tuple();

  Columns(List<T> rows) {
    this.rows = rows;
  }

  Columns<T> shorts(Function<T, Short> of) {
    values.addArrayOfShort(rows.stream().map(of).toArray(Short[]::new));
    return this;
  }

  Columns<T> integers(Function<T, Integer> of) {
    values.addArrayOfInteger(rows.stream().map(of).toArray(Integer[]::new));
    return this;
  }

  Columns<T> longs(Function<T, @Nullable Long> of) {
    values.addArrayOfLong(rows.stream().map(of).toArray(Long[]::new));
    return this;
  }

  Columns<T> texts(Function<T, @Nullable String> of) {
    values.addArrayOfString(rows.stream().map(of).toArray(String[]::new));
    return this;
  }

  Columns<T> uuids(Function<T, UUID> of) {
    values.addArrayOfUUID(rows.stream().map(of).toArray(UUID[]::new));
    return this;
  }

  Tuple values() {
    return values;
  }
}
