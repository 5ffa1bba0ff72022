package io.millrace.core.config;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One key of the configuration: its dotted name, its default and its rule. Keys are constants of
 * the section's record, so that default, limit and unit stand beside the field they rule.
 *
 * @param <T> the type of the value
 */
public sealed interface Key<T>
    permits IntKey, LongKey, BooleanKey, TextKey, ChoiceKey, SecretKey, TextMapKey {

  /** What every environment variable of Millrace begins with. */
  String ENVIRONMENT_PREFIX = "MILLRACE_";

  /** The section and the key, in snake case, with a dot between: {@code relay.batch_rows_max}. */
  String name();

  /** The value when nobody gives one; it always satisfies the key's own rule. */
  T defaultValue();

  /** Unit and limits in a few words, as a comment in a configuration file begins with them. */
  String summary();

  /** The rule that a value has to satisfy, continuing a sentence that starts with the key. */
  default String rule() {
    return "must be " + summary();
  }

  /** Reads the form only, not the limits; empty if what was found has no such form. */
  Optional<T> parse(Object found);

  /** Whether a value of the right form is within the limits. */
  boolean allows(T value);

  /** The value as it may be shown to anybody: secrets are masked. */
  String print(T value);

  /** What was found, whatever its form, as it may be shown to anybody. */
  default String show(@Nullable Object found) {
    return Problem.quote(found);
  }

  /** Adds a problem for each rule that the value breaks. */
  default void check(T value, Problems problems) {
    if (!allows(value)) {
      problems.add(new Problem(name(), rule(), show(value)));
    }
  }

  /** Puts the name and the printed value. */
  default void printTo(Map<String, String> target, T value) {
    target.put(name(), print(value));
  }

  /** The environment variable that gives this key: {@code MILLRACE_RELAY_BATCH_ROWS_MAX}. */
  default String environmentName() {
    return ENVIRONMENT_PREFIX + name().replace('.', '_').toUpperCase(Locale.ROOT);
  }
}
