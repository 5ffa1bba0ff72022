package io.millrace.admin;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a request says, field by field. What is wrong is collected, and {@link #end} refuses all of
 * it at once, together with fields that nobody asked for: a misspelt filter must not redrive
 * everything.
 */
final class Fields {
  static final int ROWS_DEFAULT = 100;
  static final int ROWS_MAX = 1_000;

  private static final int SHOWN_MAX = 100;
  private static final int YEAR_MAX = 9_999;
  private static final Pattern WHOLE = Pattern.compile("-?[0-9]{1,9}");
  private static final Pattern TEXT = Pattern.compile("\\P{Cntrl}+");

  private final Map<String, @Nullable Object> values = new TreeMap<>();
  private final Set<String> asked = new HashSet<>();
  private final List<JsonObject> errors = new ArrayList<>();

  private Fields() {}

  static Fields ofQuery(RoutingContext context) {
    Fields fields = new Fields();
    for (String name : context.queryParams().names()) {
      List<String> given = context.queryParams().getAll(name);
      fields.values.put(name, given.get(0));
      if (given.size() > 1) {
        fields.refuse(name, "must be given once", given.size() + " times");
      }
    }
    return fields;
  }

  /**
   * @throws Refusal if the body is no JSON object
   */
  static Fields ofBody(RoutingContext context) {
    Fields fields = new Fields();
    try {
      JsonObject body = context.body().asJsonObject();
      if (body == null) {
        throw new DecodeException("nothing");
      }
      body.forEach(entry -> fields.values.put(entry.getKey(), entry.getValue()));
    } catch (DecodeException | ClassCastException e) {
      throw new Refusal(Answer.problem(400, "Bad Request", "the body must be a JSON object"));
    }
    return fields;
  }

  /** A text of 1 to so many characters; null: not given. */
  @Nullable String text(String name, int charactersMax) {
    Object found = take(name);
    if (found == null) {
      return null;
    }
    if (found instanceof String text
        && text.length() <= charactersMax
        && TEXT.matcher(text).matches()
        && !text.isBlank()) {
      return text;
    }
    refuse(name, "must be a text of 1 to " + charactersMax + " characters on one line", found);
    return null;
  }

  /** As {@link #text}, and needed. */
  String required(String name, int charactersMax) {
    String found = text(name, charactersMax);
    if (found == null && !values.containsKey(name)) {
      refuse(name, "must be a text of 1 to " + charactersMax + " characters on one line", null);
    }
    return found == null ? "" : found;
  }

  @Nullable String choice(String name, Set<String> choices) {
    Object found = take(name);
    if (found == null || (found instanceof String text && choices.contains(text))) {
      return (String) found;
    }
    refuse(name, "must be one of " + String.join(", ", choices), found);
    return null;
  }

  int whole(String name, int min, int max, int otherwise) {
    Object found = take(name);
    if (found == null) {
      return otherwise;
    }
    boolean isWhole =
        found instanceof Integer || (found instanceof String text && WHOLE.matcher(text).matches());
    int value = isWhole ? Integer.parseInt(found.toString()) : min - 1;
    if (isWhole && value >= min && value <= max) {
      return value;
    }
    refuse(name, "must be a whole number from " + min + " to " + max, found);
    return otherwise;
  }

  /** How many rows a page has. */
  int limit() {
    return whole("limit", 1, ROWS_MAX, ROWS_DEFAULT);
  }

  /** Where a page begins; null: at the beginning. */
  @Nullable Long cursor(String kind) {
    Object found = take("cursor");
    if (found == null) {
      return null;
    }
    Long position = found instanceof String text ? Cursor.position(kind, text).orElse(null) : null;
    if (position == null) {
      refuse("cursor", "must be what an earlier page gave as next", found);
    }
    return position;
  }

  @Nullable Instant instant(String name) {
    Object found = take(name);
    if (found == null) {
      return null;
    }
    try {
      OffsetDateTime at = OffsetDateTime.parse(String.valueOf(found));
      if (at.getYear() > 0 && at.getYear() <= YEAR_MAX) {
        return at.toInstant();
      }
    } catch (DateTimeParseException e) {
      // Told below, as any other that will not do.
    }
    refuse(name, "must be a time such as 2026-11-29T06:00:00Z", found);
    return null;
  }

  /** Message ids; null: not given. */
  @Nullable List<UUID> uuids(String name) {
    Object found = take(name);
    if (found == null) {
      return null;
    }
    List<UUID> all = new ArrayList<>();
    if (found instanceof JsonArray array && !array.isEmpty() && array.size() <= ROWS_MAX) {
      array.forEach(one -> uuid(one).ifPresent(all::add));
      if (all.size() == array.size()) {
        return all;
      }
    }
    refuse(name, "must be a list of 1 to " + ROWS_MAX + " message ids (UUID)", found);
    return null;
  }

  /** A UUID in its usual form alone: the platform's own parser takes much more for one. */
  static java.util.Optional<UUID> uuid(@Nullable Object found) {
    if (found instanceof String text && text.length() == 36) {
      try {
        UUID parsed = UUID.fromString(text);
        return parsed.toString().equalsIgnoreCase(text)
            ? java.util.Optional.of(parsed)
            : java.util.Optional.empty();
      } catch (IllegalArgumentException e) {
        return java.util.Optional.empty();
      }
    }
    return java.util.Optional.empty();
  }

  /** Whether anything was given under this name. */
  boolean has(String name) {
    return values.get(name) != null;
  }

  void refuse(String field, String rule, @Nullable Object found) {
    String text = found == null ? "nothing" : found.toString().replaceAll("\\p{Cntrl}", "?");
    String shown = text.length() > SHOWN_MAX ? text.substring(0, SHOWN_MAX) + "..." : text;
    errors.add(new JsonObject().put("field", field).put("rule", rule).put("found", shown));
  }

  /**
   * After the last field.
   *
   * @throws Refusal with everything that was wrong, if anything was
   */
  void end() {
    values.keySet().stream()
        .filter(name -> !asked.contains(name))
        .forEach(name -> refuse(name, "is not known here", "a value (not shown)"));
    if (!errors.isEmpty()) {
      throw new Refusal(Answer.badFields(errors));
    }
  }

  private @Nullable Object take(String name) {
    asked.add(name);
    return values.get(name);
  }
}
