package io.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientPropertiesTest {

  @Test
  void a_record_in_flight_never_expires() {
    assertThat(ClientProperties.producer(settings(Map.of())))
        .containsEntry("acks", "all")
        .containsEntry("enable.idempotence", "true")
        .containsEntry("retries", "2147483647")
        .containsEntry("delivery.timeout.ms", "2147483647")
        .containsEntry("bootstrap.servers", "127.0.0.1:1");
  }

  @Test
  void own_properties_pass_through_and_win_over_defaults() {
    KafkaSettings settings =
        settings(Map.of("linger.ms", "20", "compression.type", "lz4", "sasl.mechanism", "PLAIN"));

    assertThat(ClientProperties.producer(settings))
        .containsEntry("linger.ms", "20")
        .containsEntry("compression.type", "lz4")
        .containsEntry("max.block.ms", "2000");
    assertThat(ClientProperties.admin(settings))
        .containsEntry("sasl.mechanism", "PLAIN")
        .containsEntry("bootstrap.servers", "127.0.0.1:1")
        .doesNotContainKeys("linger.ms", "compression.type");
  }

  @ParameterizedTest
  @CsvSource({
    "acks, 1",
    "enable.idempotence, false",
    "retries, 3",
    "delivery.timeout.ms, 120000",
    "value.serializer, org.example.Mine",
    "transactional.id, tx"
  })
  void a_property_that_order_rests_on_is_refused(String name, String value) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClientProperties.producer(settings(Map.of(name, value))))
        .withMessageContaining(name);
  }

  @Test
  void settings_are_checked_and_do_not_show_passwords() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new KafkaSettings(" ", Map.of(), "/shop"))
        .withMessageContaining("bootstrapServers");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new KafkaSettings("127.0.0.1:1", Map.of(), ""))
        .withMessageContaining("source");
    assertThat(settings(Map.of("sasl.jaas.config", "password")).toString())
        .contains("sasl.jaas.config")
        .doesNotContain("password");
  }

  private static KafkaSettings settings(Map<String, String> properties) {
    return new KafkaSettings("127.0.0.1:1", properties, "/shop");
  }
}
