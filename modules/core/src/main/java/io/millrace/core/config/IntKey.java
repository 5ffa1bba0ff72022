package io.millrace.core.config;

import java.util.Optional;

/**
 * A key whose value is a whole number that fits an {@code int}.
 *
 * @param min the smallest value allowed
 * @param max the largest value allowed
 * @param unit what is counted
 */
public record IntKey(String name, Integer defaultValue, int min, int max, String unit)
    implements Key<Integer> {

  @Override
  public String summary() {
    return LongKey.summary(unit, min, max);
  }

  @Override
  public String rule() {
    return LongKey.rule(unit, min, max);
  }

  @Override
  public Optional<Integer> parse(Object found) {
    return LongKey.wholeNumber(found)
        .filter(value -> value == value.intValue())
        .map(Long::intValue);
  }

  @Override
  public boolean allows(Integer value) {
    return value >= min && value <= max;
  }

  @Override
  public String print(Integer value) {
    return value.toString();
  }
}
