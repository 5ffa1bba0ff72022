package io.millrace.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextFormTest {

  @ParameterizedTest
  @ValueSource(strings = {"a:1", "a-b.c_d:65535,10.0.0.1:9092", "[::1]:9092,[fe80::1%eth0]:9093"})
  void bootstrap_servers_are_hosts_with_ports(String servers) {
    assertThat(new KafkaConfig(servers, "/millrace", Map.of()).bootstrapServers())
        .isEqualTo(servers);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a",
        "a:",
        ":9092",
        "a:0",
        "a:65536",
        "a:1,",
        "a:1, b:2",
        "::1:9092",
        "a:1;b:2"
      })
  void other_bootstrap_servers_are_refused(String servers) {
    assertThatThrownBy(() -> new KafkaConfig(servers, "/millrace", Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("kafka.bootstrap_servers must be host:port");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "acks",
        "enable.idempotence",
        "retries",
        "delivery.timeout.ms",
        "partitioner.class",
        "partitioner.ignore.keys",
        "key.serializer",
        "value.serializer",
        "transactional.id",
        "bootstrap.servers"
      })
  void a_producer_property_that_order_or_durability_rests_on_is_refused_with_the_reason(
      String property) {
    assertThatThrownBy(() -> new KafkaConfig("a:1", "/millrace", Map.of(property, "1")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("kafka.properties." + property + " must not be set, because ");
  }

  @Test
  void at_most_five_requests_are_in_flight() {
    String property = "max.in.flight.requests.per.connection";

    assertThat(new KafkaConfig("a:1", "/millrace", Map.of(property, "5")).properties()).hasSize(1);
    for (String refused : new String[] {"6", "0", "many"}) {
      assertThatThrownBy(() -> new KafkaConfig("a:1", "/millrace", Map.of(property, refused)))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("from 1 to 5");
    }
  }

  @Test
  void a_name_that_postgres_would_cut_off_is_refused() {
    assertThat(MillraceConfig.from(Map.of("database.name", "n".repeat(63))).database().name())
        .hasSize(63);
    assertThat(MillraceConfigTest.problemsOf(Map.of("database.name", "n".repeat(64)))).hasSize(1);
  }

  @Test
  void a_found_value_is_shown_on_one_line_and_not_at_full_length() {
    assertThat(MillraceConfigTest.problemsOf(Map.of("database.host", "a\nb" + "c".repeat(1_000))))
        .singleElement()
        .satisfies(
            problem -> assertThat(problem.found()).hasSizeLessThan(120).startsWith("\"a?bc"));
  }

  @Test
  void a_secret_never_prints_its_text() {
    Secret secret = Secret.of("hunter2");

    assertThat(secret).hasToString("******").isEqualTo(Secret.of("hunter2"));
    assertThat(secret.reveal()).isEqualTo("hunter2");
    assertThat(Secret.of("")).isSameAs(Secret.NONE).hasToString("");
  }

  @Test
  void the_distance_between_names_counts_single_edits() {
    assertThat(NearestName.edits("", "abc")).isEqualTo(3);
    assertThat(NearestName.edits("kitten", "sitting")).isEqualTo(3);
    assertThat(NearestName.edits("relay", "relay")).isZero();
  }
}
