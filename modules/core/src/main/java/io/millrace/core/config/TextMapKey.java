package io.millrace.core.config;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A key that holds names with values, such as {@code kafka.properties}. An entry is addressed by
 * the key's name, a dot and its own name, which may have dots as well. Its default is empty.
 *
 * @param summary what the entries are
 * @param refusal the rule that an entry (name, value) breaks, or empty if it is allowed
 * @param hidden whether the value of the entry of this name must not be shown
 */
public record TextMapKey(
    String name,
    String summary,
    BiFunction<String, String, Optional<String>> refusal,
    Predicate<String> hidden)
    implements Key<Map<String, String>> {

  @Override
  public Map<String, String> defaultValue() {
    return Map.of();
  }

  @Override
  public Optional<Map<String, String>> parse(Object found) {
    if (!(found instanceof Map<?, ?> entries)) {
      return Optional.empty();
    }
    Map<String, String> parsed = new TreeMap<>();
    for (Map.Entry<?, ?> entry : entries.entrySet()) {
      Object value = entry.getValue();
      if (!(value instanceof String || value instanceof Number || value instanceof Boolean)) {
        return Optional.empty();
      }
      parsed.put(String.valueOf(entry.getKey()), value.toString());
    }
    return Optional.of(parsed);
  }

  @Override
  public boolean allows(Map<String, String> value) {
    return value.entrySet().stream()
        .allMatch(entry -> refusal.apply(entry.getKey(), entry.getValue()).isEmpty());
  }

  /** One problem an entry, each with the entry's own name and reason. */
  @Override
  public void check(Map<String, String> value, Problems problems) {
    new TreeMap<>(value)
        .forEach(
            (entry, text) ->
                refusal
                    .apply(entry, text)
                    .map(rule -> new Problem(name + "." + entry, rule, showEntry(entry, text)))
                    .ifPresent(problems::add));
  }

  @Override
  public String print(Map<String, String> value) {
    Map<String, String> printed = new TreeMap<>(value);
    printed.replaceAll((entry, text) -> hidden.test(entry) ? Secret.MASK : text);
    return printed.toString();
  }

  /** Only whether something is there: an entry of the wrong form may be a secret. */
  @Override
  public String show(@Nullable Object found) {
    return found == null ? Problem.quote(null) : "something else (not shown)";
  }

  private String showEntry(String entry, String text) {
    return hidden.test(entry) ? Secret.MASK : Problem.quote(text);
  }
}
