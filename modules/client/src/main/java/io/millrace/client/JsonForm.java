package io.millrace.client;

import io.vertx.core.json.JsonObject;
import java.util.function.Function;

/** How a value of the application's becomes JSON and comes back; written by the application. */
public interface JsonForm<T> {

  /** The value as JSON, of JSON values only. */
  JsonObject toJson(T value);

  /**
   * The value again.
   *
   * @throws RuntimeException if a field is missing or of another type; its message is told to the
   *     caller
   */
  T fromJson(JsonObject json);

  /** From two functions. */
  static <T> JsonForm<T> of(Function<T, JsonObject> writes, Function<JsonObject, T> reads) {
    return new JsonForm<>() {
      @Override
      public JsonObject toJson(T value) {
        return writes.apply(value);
      }

      @Override
      public T fromJson(JsonObject json) {
        return reads.apply(json);
      }
    };
  }

  /** JSON as it is. */
  static JsonForm<JsonObject> asIs() {
    return of(json -> json, json -> json);
  }
}
