package io.millrace.launcher.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Key;
import io.millrace.core.config.MillraceConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Keeps conf/millrace.yaml and the records identical. */
class ShippedConfigFileTest {

  private static final Path FILE = Path.of("..", "conf", "millrace.yaml");

  @Test
  void the_file_has_every_key_in_the_order_of_the_records_and_no_other() throws IOException {
    assertThat(comments().keySet())
        .containsExactlyElementsOf(MillraceConfig.keys().stream().map(Key::name).toList());
    assertThat(ConfigFile.read(FILE)).containsOnlyKeys(comments().keySet());
  }

  @Test
  void the_file_gives_every_key_its_default() {
    Map<String, Object> values = ConfigFile.read(FILE);

    for (Key<?> key : MillraceConfig.keys()) {
      assertThat(key.parse(values.get(key.name())))
          .as(key.name())
          .isEqualTo(Optional.of(key.defaultValue()));
    }
    assertThat(ConfigLoader.load(Optional.of(FILE), Map.of())).isEqualTo(MillraceConfig.defaults());
  }

  @Test
  void every_comment_begins_with_the_unit_and_the_limits() throws IOException {
    Map<String, String> comments = comments();

    for (Key<?> key : MillraceConfig.keys()) {
      assertThat(comments.get(key.name())).as(key.name()).startsWith(key.summary() + ". ");
    }
  }

  @Test
  void every_refused_producer_property_is_named() throws IOException {
    assertThat(comments().get("kafka.properties"))
        .contains(
            "acks, enable.idempotence, retries, delivery.timeout.ms, partitioner.class,"
                + " partitioner.ignore.keys, key.serializer, value.serializer, transactional.id,"
                + " bootstrap.servers, and max.in.flight.requests.per.connection above 5");
  }

  @Test
  void every_refused_consumer_property_is_named() throws IOException {
    assertThat(comments().get("inbox.properties"))
        .contains(
            "group.id, auto.offset.reset, enable.auto.commit, key.deserializer, value.deserializer,"
                + " bootstrap.servers.");
    for (String name : List.of("group.id", "auto.offset.reset", "enable.auto.commit")) {
      assertThatThrownBy(() -> MillraceConfig.from(Map.of("inbox.properties." + name, "x")))
          .hasMessageContaining("inbox.properties." + name)
          .hasMessageContaining("must not be set, because");
    }
  }

  /** By dotted key the comment above it, its lines joined, with a blank at the end. */
  private static Map<String, String> comments() throws IOException {
    Map<String, String> comments = new LinkedHashMap<>();
    List<String> above = new ArrayList<>();
    String section = "";
    for (String line : Files.readAllLines(FILE)) {
      if (line.startsWith("  #")) {
        above.add(line.substring("  # ".length()));
      } else if (line.startsWith("  ")) {
        String key = line.substring(2, line.indexOf(':'));
        comments.put(section + "." + key, String.join(" ", above) + " ");
        above.clear();
      } else if (line.endsWith(":")) {
        section = line.substring(0, line.length() - 1);
      }
    }
    return comments;
  }
}
