package io.millrace.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Walks through the records' components, so that a new field cannot miss its key or its check. */
class ComponentLimitTest {

  @Test
  void every_component_has_the_key_of_its_name_in_the_same_order() {
    List<String> names =
        Arrays.stream(MillraceConfig.class.getRecordComponents())
            .flatMap(
                section ->
                    Arrays.stream(section.getType().getRecordComponents())
                        .map(component -> section.getName() + "." + snakeCase(component)))
            .toList();

    assertThat(MillraceConfig.keys()).extracting(Key::name).isEqualTo(names);
  }

  @Test
  void every_record_built_by_hand_checks_the_limits_of_every_number() throws Exception {
    for (RecordComponent section : MillraceConfig.class.getRecordComponents()) {
      Object defaults = section.getAccessor().invoke(MillraceConfig.defaults());
      RecordComponent[] components = section.getType().getRecordComponents();
      for (int index = 0; index < components.length; index++) {
        Key<?> key = key(section.getName() + "." + snakeCase(components[index]));
        if (key instanceof IntKey number) {
          assertLimits(defaults, index, key, List.of(number.min(), number.max()), 1);
        } else if (key instanceof LongKey number) {
          assertLimits(defaults, index, key, List.of(number.min(), number.max()), 1L);
        }
      }
    }
  }

  @Test
  void every_key_has_the_environment_variable_of_its_name() {
    assertThat(RelayConfig.BATCH_ROWS_MAX.environmentName())
        .isEqualTo("MILLRACE_RELAY_BATCH_ROWS_MAX");
    assertThat(MillraceConfig.keys().stream().map(Key::environmentName)).doesNotHaveDuplicates();
  }

  private static void assertLimits(
      Object defaults, int index, Key<?> key, List<? extends Number> limits, Number one)
      throws Exception {
    build(defaults, index, limits.get(0));
    build(defaults, index, limits.get(1));
    for (Number outside : List.of(plus(limits.get(0), -1, one), plus(limits.get(1), 1, one))) {
      assertThat(catchThrowable(() -> build(defaults, index, outside)))
          .as("%s = %s", key.name(), outside)
          .isInstanceOf(InvocationTargetException.class)
          .cause()
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining(key.name())
          .hasMessageContaining(key.rule());
    }
  }

  private static Number plus(Number number, int change, Number one) {
    long sum = number.longValue() + change;
    return one instanceof Long ? (Number) sum : (Number) Math.toIntExact(sum);
  }

  private static Object build(Object defaults, int index, Object value) throws Exception {
    RecordComponent[] components = defaults.getClass().getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    Object[] values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
      values[i] = i == index ? value : components[i].getAccessor().invoke(defaults);
    }
    return defaults.getClass().getDeclaredConstructor(types).newInstance(values);
  }

  private static Key<?> key(String name) {
    return MillraceConfig.keys().stream()
        .filter(key -> key.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static String snakeCase(RecordComponent component) {
    return component.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }
}
