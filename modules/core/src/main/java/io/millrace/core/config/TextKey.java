package io.millrace.core.config;

import java.util.Optional;

/**
 * A key whose value is text of a given shape.
 *
 * @param shape what the text has to look like
 */
public record TextKey(String name, String defaultValue, TextRule shape) implements Key<String> {

  @Override
  public String summary() {
    return shape.words();
  }

  @Override
  public String rule() {
    return "must be " + shape.words() + shape.reason();
  }

  @Override
  public Optional<String> parse(Object found) {
    return found instanceof String text ? Optional.of(text) : Optional.empty();
  }

  @Override
  public boolean allows(String value) {
    return shape.matches(value);
  }

  @Override
  public String print(String value) {
    return value;
  }
}
