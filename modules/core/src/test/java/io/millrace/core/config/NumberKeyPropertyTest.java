package io.millrace.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class NumberKeyPropertyTest {

  /** A whole-number key with its limits, of either kind. */
  record Limits(Key<?> key, long min, long max) {}

  @Property
  void a_number_is_accepted_if_and_only_if_it_is_within_the_limits(
      @ForAll("keys") Limits limits, @ForAll("numbers") long number) {
    assertReadsAsItself(limits, number);
    assertReadsAsItself(limits, limits.min() + Math.floorMod(number, span(limits)));
    assertReadsAsItself(limits, limits.max() + 1);
    assertReadsAsItself(limits, limits.min() - 1);
  }

  @Property
  void text_that_is_no_plain_number_is_refused(
      @ForAll("keys") Limits limits, @ForAll("texts") String text) {
    assertThat(limits.key().parse(text)).isEmpty();
  }

  @Property
  void the_nearest_name_to_a_known_one_is_that_one(@ForAll("keys") Limits limits) {
    String name = limits.key().name();

    assertThat(NearestName.of(name, MillraceConfig.keys().stream().map(Key::name).toList()))
        .isEqualTo(Optional.of(name));
  }

  private static void assertReadsAsItself(Limits limits, long number) {
    ConfigReader reader = new ConfigReader(Map.of(limits.key().name(), Long.toString(number)));
    Object read = reader.read(limits.key());
    if (number >= limits.min() && number <= limits.max()) {
      assertThat(reader.problems()).isEmpty();
      assertThat(((Number) read).longValue()).isEqualTo(number);
    } else {
      assertThat(reader.problems()).hasSize(1);
      assertThat(read).isEqualTo(limits.key().defaultValue());
    }
  }

  private static long span(Limits limits) {
    return limits.max() - limits.min() + 1;
  }

  @Provide
  Arbitrary<Limits> keys() {
    return Arbitraries.of(
        MillraceConfig.keys().stream().flatMap(key -> limits(key).stream()).toList());
  }

  @Provide
  Arbitrary<Long> numbers() {
    return Arbitraries.oneOf(Arbitraries.longs(), Arbitraries.longs().between(-10, 100_000_000L));
  }

  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.oneOf(
        Arbitraries.strings().ofMaxLength(10).filter(text -> !text.matches("-?[0-9]+")),
        Arbitraries.of("1_000", "0x10", "1e3", "10 ", "+5", "5s", "", "9".repeat(19), "\u0663"));
  }

  private static Optional<Limits> limits(Key<?> key) {
    if (key instanceof IntKey number) {
      return Optional.of(new Limits(key, number.min(), number.max()));
    }
    if (key instanceof LongKey number) {
      return Optional.of(new Limits(key, number.min(), number.max()));
    }
    return Optional.empty();
  }
}
