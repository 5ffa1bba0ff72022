package io.millrace.core.config;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A key whose value is one of a closed set, written in lower case with hyphens: {@code verify-full}
 * for {@code VERIFY_FULL}.
 *
 * @param choices everything that may be chosen
 */
public record ChoiceKey<E extends Enum<E>>(String name, E defaultValue, List<E> choices)
    implements Key<E> {

  @Override
  public String summary() {
    return choices.stream().map(this::print).collect(Collectors.joining(", ", "one of ", ""));
  }

  @Override
  public Optional<E> parse(Object found) {
    return choices.stream()
        .filter(choice -> choice.equals(found) || print(choice).equals(found))
        .findFirst();
  }

  @Override
  public boolean allows(E value) {
    return choices.contains(value);
  }

  @Override
  public String print(E value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
