package io.millrace.core.config;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A key whose value is a whole number that may need a {@code long}: milliseconds and bytes.
 *
 * @param min the smallest value allowed
 * @param max the largest value allowed
 * @param unit what is counted
 */
public record LongKey(String name, Long defaultValue, long min, long max, String unit)
    implements Key<Long> {

  // Eighteen digits always fit; no limit of any key needs more.
  private static final Pattern DIGITS = Pattern.compile("-?[0-9]{1,18}");

  @Override
  public String summary() {
    return summary(unit, min, max);
  }

  @Override
  public String rule() {
    return rule(unit, min, max);
  }

  @Override
  public Optional<Long> parse(Object found) {
    return wholeNumber(found);
  }

  @Override
  public boolean allows(Long value) {
    return value >= min && value <= max;
  }

  @Override
  public String print(Long value) {
    return value.toString();
  }

  static String summary(String unit, long min, long max) {
    return unit + ", " + min + ".." + max;
  }

  static String rule(String unit, long min, long max) {
    return "must be a whole number from " + min + " to " + max + " (" + unit + ")";
  }

  /** Plain decimal digits or an integral Java number; a fraction is refused, never rounded. */
  static Optional<Long> wholeNumber(Object found) {
    if (found instanceof Integer || found instanceof Long || found instanceof Short) {
      return Optional.of(((Number) found).longValue());
    }
    return found instanceof String text && DIGITS.matcher(text).matches()
        ? Optional.of(Long.valueOf(text))
        : Optional.empty();
  }
}
