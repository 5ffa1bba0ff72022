package io.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConsumerPropertiesTest {

  @Test
  void positions_are_never_the_clients_own() {
    assertThat(ConsumerProperties.of(settings(Map.of())))
        .containsEntry("auto.offset.reset", "none")
        .containsEntry("enable.auto.commit", "false")
        .containsEntry("group.id", "g")
        .containsEntry("bootstrap.servers", "127.0.0.1:1");
  }

  @Test
  void defaults_read_what_is_committed_and_create_no_topic() {
    assertThat(ConsumerProperties.of(settings(Map.of())))
        .containsEntry("isolation.level", "read_committed")
        .containsEntry("max.poll.records", "500")
        .containsEntry("allow.auto.create.topics", "false")
        .containsEntry("partition.assignment.strategy", CooperativeStickyAssignor.class.getName());
  }

  @Test
  void own_properties_win_over_defaults() {
    Map<String, Object> properties =
        ConsumerProperties.of(
            settings(
                Map.of(
                    "max.poll.records", "7",
                    "isolation.level", "read_uncommitted",
                    "group.instance.id", "node-1",
                    "sasl.mechanism", "PLAIN")));

    assertThat(properties)
        .containsEntry("max.poll.records", "7")
        .containsEntry("group.instance.id", "node-1")
        .containsEntry("sasl.mechanism", "PLAIN");
    assertThat(ConsumerProperties.isolation(properties)).isEqualTo(IsolationLevel.READ_UNCOMMITTED);
    assertThat(ConsumerProperties.isolation(ConsumerProperties.of(settings(Map.of()))))
        .isEqualTo(IsolationLevel.READ_COMMITTED);
  }

  @ParameterizedTest
  @CsvSource({"consumer", "CONSUMER"})
  void the_newer_group_protocol_gets_no_property_that_it_refuses(String protocol) {
    assertThat(ConsumerProperties.of(settings(Map.of("group.protocol", protocol))))
        .doesNotContainKeys(
            "partition.assignment.strategy", "session.timeout.ms", "heartbeat.interval.ms");
  }

  @ParameterizedTest
  @CsvSource({
    "group.id, other",
    "auto.offset.reset, earliest",
    "enable.auto.commit, true",
    "key.deserializer, org.example.Mine",
    "value.deserializer, org.example.Mine",
    "bootstrap.servers, 127.0.0.1:2"
  })
  void a_property_that_the_inbox_rests_on_is_refused(String name, String value) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ConsumerProperties.of(settings(Map.of(name, value))))
        .withMessageContaining(name)
        .withMessageContaining(value);
  }

  @Test
  void a_property_that_kafka_finds_wrong_is_found_at_once() {
    assertThatThrownBy(() -> ConsumerProperties.of(settings(Map.of("max.poll.records", "many"))))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("max.poll.records");
    assertThatThrownBy(
            () ->
                ConsumerProperties.of(
                    settings(Map.of("group.protocol", "consumer", "session.timeout.ms", "9000"))))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("session.timeout.ms");
  }

  @Test
  void a_member_that_waits_to_give_back_is_not_expelled_meanwhile() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ConsumerProperties.of(settings(Map.of("max.poll.interval.ms", "5000"))))
        .withMessageContaining("revokeWaitMsMax")
        .withMessageContaining("max.poll.interval.ms");
  }

  @Test
  void settings_are_checked_and_do_not_show_passwords() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(" ", "g", List.of("t"), 1))
        .withMessageContaining("bootstrapServers");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings("127.0.0.1:1", "", List.of("t"), 1))
        .withMessageContaining("groupId");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings("127.0.0.1:1", "g", List.of(), 1))
        .withMessageContaining("topics");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings("127.0.0.1:1", "g", List.of("t", "t"), 1))
        .withMessageContaining("twice");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings("127.0.0.1:1", "g", List.of("t"), 0))
        .withMessageContaining("revokeWaitMsMax");
    assertThat(settings(Map.of("sasl.jaas.config", "password")).toString())
        .contains("sasl.jaas.config")
        .doesNotContain("password");
  }

  private static SourceSettings settings(Map<String, String> properties) {
    return new SourceSettings("127.0.0.1:1", properties, "g", List.of("t"), 5_000);
  }

  private static SourceSettings settings(
      String bootstrapServers, String groupId, List<String> topics, long revokeWaitMsMax) {
    return new SourceSettings(bootstrapServers, Map.of(), groupId, topics, revokeWaitMsMax);
  }
}
