package io.millrace.core.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads typed values out of a flat map of dotted keys. Sections ask for their keys one by one; what
 * is wrong is collected and the default stands in, so that one reading finds every problem. What is
 * in the map and was never asked for is unknown, which is a problem too.
 */
public final class ConfigReader {

  private final Map<String, @Nullable Object> values;
  private final Map<String, Key<?>> asked = new LinkedHashMap<>();
  private final Problems problems = new Problems();

  /**
   * @param values by dotted key; text as in a file or the environment, or Java values
   */
  public ConfigReader(Map<String, ?> values) {
    this.values = new TreeMap<>(values);
  }

  /** The value given for the key; the default if none is given or the given one is a problem. */
  public <T> T read(Key<T> key) {
    asked.put(key.name(), key);
    if (!isGiven(key)) {
      return key.defaultValue();
    }
    Object found = key instanceof TextMapKey map ? gather(map) : values.get(key.name());
    Optional<T> parsed = found == null ? Optional.empty() : key.parse(found);
    if (parsed.isEmpty()) {
      problems.add(new Problem(key.name(), key.rule(), key.show(found)));
      return key.defaultValue();
    }
    int before = problems.size();
    key.check(parsed.get(), problems);
    return problems.size() == before ? parsed.get() : key.defaultValue();
  }

  /** Every key asked for so far, in that order. */
  public List<Key<?>> keys() {
    return List.copyOf(asked.values());
  }

  /** Everything that was wrong so far. */
  public List<Problem> problems() {
    return problems.list();
  }

  /** Turns what was given but never asked for into problems; call it after the last read. */
  public void refuseUnknown() {
    values.forEach(
        (name, found) -> {
          if (!isAsked(name) && !isEmptySection(name, found)) {
            problems.add(unknown(name));
          }
        });
  }

  Problems collected() {
    return problems;
  }

  private boolean isGiven(Key<?> key) {
    return values.containsKey(key.name())
        || (key instanceof TextMapKey && values.keySet().stream().anyMatch(below(key)));
  }

  private static Predicate<String> below(Key<?> key) {
    return name -> name.startsWith(key.name() + ".");
  }

  /** The map given as one value, if any, and over it the entries given one by one. */
  private @Nullable Object gather(TextMapKey key) {
    Object whole = values.get(key.name());
    if (whole != null && !(whole instanceof Map)) {
      return whole;
    }
    Map<String, @Nullable Object> entries = new TreeMap<>();
    if (whole instanceof Map<?, ?> map) {
      map.forEach((name, value) -> entries.put(String.valueOf(name), value));
    }
    values.forEach(
        (name, value) -> {
          if (below(key).test(name)) {
            entries.put(name.substring(key.name().length() + 1), value);
          }
        });
    return entries.isEmpty() && whole == null ? null : entries;
  }

  private boolean isAsked(String name) {
    return asked.containsKey(name)
        || asked.values().stream()
            .anyMatch(key -> key instanceof TextMapKey && below(key).test(name));
  }

  /** A section heading with nothing below it, which a file with all lines commented out has. */
  private boolean isEmptySection(String name, @Nullable Object found) {
    return isSection(name) && (found == null || (found instanceof Map<?, ?> m && m.isEmpty()));
  }

  private boolean isSection(String name) {
    return asked.keySet().stream().anyMatch(key -> key.startsWith(name + "."));
  }

  // The value is not shown: it may be a secret under a misspelt key.
  private Problem unknown(String name) {
    if (isSection(name)) {
      return new Problem(name, "must be a section with keys below it", "a value (not shown)");
    }
    String nearest =
        NearestName.of(name, asked.keySet()).map(known -> "; the nearest is " + known).orElse("");
    return new Problem(name, "is not a known key" + nearest, "a value (not shown)");
  }
}
