package io.millrace.core.config;

import java.util.Optional;

/**
 * A key that is on or off. Only {@code true} and {@code false} are understood: a "yes" that reads
 * as false would switch off a part of the engine in silence.
 */
public record BooleanKey(String name, Boolean defaultValue) implements Key<Boolean> {

  @Override
  public String summary() {
    return "true or false";
  }

  @Override
  public Optional<Boolean> parse(Object found) {
    if (found instanceof Boolean value) {
      return Optional.of(value);
    }
    if (found instanceof String text) {
      if (text.equalsIgnoreCase("true")) {
        return Optional.of(true);
      }
      if (text.equalsIgnoreCase("false")) {
        return Optional.of(false);
      }
    }
    return Optional.empty();
  }

  @Override
  public boolean allows(Boolean value) {
    return true;
  }

  @Override
  public String print(Boolean value) {
    return value.toString();
  }
}
