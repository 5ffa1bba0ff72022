package io.millrace.writer;

import io.millrace.client.CommandFailure;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.EncodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a command was asked for.
 *
 * @param json as JSON text carries it, so that a command sees the same from this node and another
 * @param sha256 of the canonical form, by which a repetition is told from another request: the
 *     order of keys does not matter
 */
record Arguments(JsonObject json, Buffer sha256) {
  static final int BYTES_MAX = 1_000_000;

  /** Reading and writing JSON recurses: far from the depth that overflows a stack. */
  static final int NESTING_MAX = 100;

  /**
   * @throws CommandFailure of kind INVALID if they are too large or no JSON
   */
  static Arguments of(JsonObject arguments) {
    checkNesting(arguments, 1);
    try {
      String text = arguments.encode();
      int bytes = text.getBytes(StandardCharsets.UTF_8).length;
      if (bytes > BYTES_MAX) {
        throw invalid("have at most " + BYTES_MAX + " bytes, found " + bytes, null);
      }
      JsonObject json = new JsonObject(text);
      return new Arguments(json, sha256(Json.encode(sorted(json.getMap()))));
    } catch (EncodeException | DecodeException e) {
      throw invalid("be JSON values, found: " + e.getMessage(), e);
    }
  }

  private static CommandFailure invalid(String rule, @Nullable Throwable cause) {
    String message = "arguments must " + rule;
    return cause == null
        ? new CommandFailure(CommandFailure.Kind.INVALID, message)
        : new CommandFailure(CommandFailure.Kind.INVALID, message, cause);
  }

  private static void checkNesting(@Nullable Object value, int depth) {
    if (depth > NESTING_MAX) {
      throw invalid("nest at most " + NESTING_MAX + " deep, found more", null);
    }
    if (value instanceof JsonObject json) {
      checkNesting(json.getMap(), depth);
    } else if (value instanceof JsonArray json) {
      checkNesting(json.getList(), depth);
    } else if (value instanceof Map<?, ?> map) {
      map.values().forEach(element -> checkNesting(element, depth + 1));
    } else if (value instanceof List<?> list) {
      list.forEach(element -> checkNesting(element, depth + 1));
    }
  }

  /** Keys in one order, on every level. */
  private static @Nullable Object sorted(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      Map<String, @Nullable Object> byKey = new TreeMap<>();
      map.forEach((key, element) -> byKey.put(String.valueOf(key), sorted(element)));
      return byKey;
    }
    if (value instanceof List<?> list) {
      List<@Nullable Object> elements = new ArrayList<>(list.size());
      list.forEach(element -> elements.add(sorted(element)));
      return elements;
    }
    return value;
  }

  private static Buffer sha256(String text) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return Buffer.buffer(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
