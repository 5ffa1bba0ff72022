package io.millrace.spatial;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads features of a layer, one query for all. If that fails because of what it has read, the
 * features are halved until those stand alone that it fails for.
 */
final class FeatureStates {
  private final FeatureReader reader;
  private final FeatureResolver.Limits limits;

  /**
   * @param there features that are there, by id; the others asked for are gone or refused
   * @param refused features that cannot be read, by id, with the reason
   */
  record Answer(Map<String, FeatureState> there, Map<String, String> refused) {

    static Answer refusing(List<String> ids, String reason) {
      Map<String, String> refused = new HashMap<>();
      ids.forEach(id -> refused.put(id, reason));
      return new Answer(Map.of(), refused);
    }

    Answer with(Answer other) {
      Map<String, FeatureState> bothThere = new HashMap<>(there);
      bothThere.putAll(other.there);
      Map<String, String> bothRefused = new HashMap<>(refused);
      bothRefused.putAll(other.refused);
      return new Answer(bothThere, bothRefused);
    }
  }

  FeatureStates(FeatureReader reader, FeatureResolver.Limits limits) {
    this.reader = reader;
    this.limits = limits;
  }

  Future<Optional<String>> problem() {
    return reader
        .read(Statement.CHECK_LAYERS.text(), Tuple.tuple())
        .timeout(limits.answerMs(), TimeUnit.MILLISECONDS)
        .recover(cause -> Future.failedFuture(ReadFailure.wait(cause)))
        .map(rows -> Optional.ofNullable(problem(rows.iterator().next())));
  }

  private static @Nullable String problem(Row row) {
    if (!row.getBoolean("is_laid")) {
      return "spatial.enabled is true, and the database has no schema millrace_spatial: run migrate";
    }
    return row.getBoolean("may_read")
        ? null
        : "spatial.enabled is true, and the role may not read layers: grant millrace_relay to "
            + row.getString("role");
  }

  /** Failed only when the database is away or busy. */
  Future<Answer> read(String layer, List<String> ids) {
    return reader
        .read(
            Statement.RESOLVE_FEATURES.text(),
            Tuple.of(
                layer,
                ids.toArray(String[]::new),
                limits.coordinateDigits(),
                limits.payloadBytesMax()))
        .timeout(limits.answerMs(), TimeUnit.MILLISECONDS)
        .map(this::answer)
        .recover(cause -> narrow(layer, ids, cause));
  }

  private Future<Answer> narrow(String layer, List<String> ids, Throwable cause) {
    return switch (ReadFailure.of(cause)) {
      case LAYER ->
          Future.succeededFuture(
              Answer.refusing(ids, "layer %s: %s".formatted(layer, ReadFailure.text(cause))));
      case DATA ->
          ids.size() == 1
              ? Future.succeededFuture(
                  Answer.refusing(
                      ids,
                      "feature %s of layer %s: %s"
                          .formatted(ids.get(0), layer, ReadFailure.text(cause))))
              : halves(layer, ids);
      case TOO_MUCH ->
          ids.size() == 1 ? Future.failedFuture(ReadFailure.wait(cause)) : halves(layer, ids);
      case BUSY -> Future.failedFuture(ReadFailure.wait(cause));
    };
  }

  private Future<Answer> halves(String layer, List<String> ids) {
    int middle = ids.size() / 2;
    return read(layer, ids.subList(0, middle))
        .compose(
            first ->
                read(layer, ids.subList(middle, ids.size())).map(second -> first.with(second)));
  }

  private Answer answer(RowSet<Row> rows) {
    Map<String, FeatureState> there = new HashMap<>();
    Map<String, String> refused = new HashMap<>();
    for (Row row : rows) {
      String id = row.getString("feature_id");
      long bytes = row.getLong("bytes");
      if (bytes > limits.payloadBytesMax()) {
        refused.put(id, FeatureResolver.tooLarge(id, bytes, limits.payloadBytesMax()));
      } else {
        there.put(id, FeatureState.of(row));
      }
    }
    return new Answer(there, refused);
  }
}
