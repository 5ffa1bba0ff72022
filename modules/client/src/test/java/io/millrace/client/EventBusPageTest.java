package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Holds docs/event-bus.md against the code. */
class EventBusPageTest {
  private static final Path PAGE = Path.of("..", "..", "docs", "event-bus.md");
  private static final Pattern ADDRESS = Pattern.compile("(?m)^\\| `(millrace\\.[^`]*)` \\|");
  private static final Pattern KIND =
      Pattern.compile("(?m)^\\| (\\d) \\| `([A-Z_]+)` \\|.*\\| (yes|no) \\|$");

  @Test
  void every_address_is_on_the_page_and_no_other() throws Exception {
    Set<String> addresses = new TreeSet<>();
    for (Field field : Addresses.class.getDeclaredFields()) {
      if (Modifier.isPublic(field.getModifiers())) {
        addresses.add((String) field.get(null));
      }
    }
    for (Method method : Addresses.class.getDeclaredMethods()) {
      if (Modifier.isPublic(method.getModifiers())) {
        addresses.add((String) method.invoke(null, placeholders(method)));
      }
    }
    assertThat(found(ADDRESS, match -> match.group(1))).isEqualTo(addresses);
  }

  /** What the page writes where a name stands. */
  private static Object[] placeholders(Method method) {
    return Arrays.stream(method.getParameters())
        .map(Parameter::getName)
        .map(name -> name.equals("nodeId") ? "NODE" : name.toUpperCase(Locale.ROOT))
        .toArray();
  }

  @Test
  void every_failure_is_on_the_page_with_its_code_and_whether_it_is_sent_again() throws Exception {
    Set<String> kinds =
        Arrays.stream(CommandFailure.Kind.values())
            .map(
                kind ->
                    kind.failureCode()
                        + " "
                        + kind
                        + " "
                        + (new CommandFailure(kind, "").mayBeRepeated() ? "yes" : "no"))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(found(KIND, match -> match.group(1) + " " + match.group(2) + " " + match.group(3)))
        .isEqualTo(kinds);
  }

  @Test
  void numbers_on_the_page_are_those_of_the_code() throws Exception {
    assertThat(Files.readString(PAGE).replaceAll("\\s+", " "))
        .contains(
            "said again every " + Watched.RENEW_MS / 1_000 + " s",
            "forgotten after " + Watched.KEEP_MS / 1_000 + " s",
            "at most " + Notice.MESSAGES_MAX + " messages each");
  }

  private static Set<String> found(
      Pattern pattern, java.util.function.Function<MatchResult, String> text) throws Exception {
    List<String> all = pattern.matcher(Files.readString(PAGE)).results().map(text).toList();
    assertThat(all).doesNotHaveDuplicates();
    return new TreeSet<>(all);
  }
}
