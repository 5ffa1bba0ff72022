package io.millrace.devstack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who starts the servers, and that a container is given what a process would be given. */
class ServerChoiceTest {

  @ParameterizedTest
  @CsvSource({
    "embedded, true, false",
    "embedded, false, false",
    "auto, true, true",
    "auto, false, false",
    "containers, true, true"
  })
  void docker_decides_where_it_is_asked(String text, boolean isPresent, boolean usesContainers) {
    assertThat(ServerChoice.of(text).usesContainers(() -> isPresent)).isEqualTo(usesContainers);
  }

  @Test
  void docker_is_not_looked_for_without_need() {
    assertThat(
            ServerChoice.EMBEDDED.usesContainers(
                () -> {
                  throw new AssertionError("it was");
                }))
        .isFalse();
  }

  @Test
  void containers_without_docker_fail_with_the_line_that_helps() {
    assertThatThrownBy(() -> ServerChoice.CONTAINERS.usesContainers(() -> false))
        .isInstanceOf(DevStackException.class)
        .hasMessage(
            "-Dmillrace.servers=containers needs Docker, and none answers: start it, or leave the"
                + " setting out");
  }

  @Test
  void another_word_is_refused_with_those_that_are_known() {
    assertThatThrownBy(() -> ServerChoice.of("docker"))
        .isInstanceOf(DevStackException.class)
        .hasMessage("-Dmillrace.servers must be one of embedded, containers, auto, found 'docker'");
  }

  @Test
  void a_postgres_in_a_container_has_the_settings_of_a_process() {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("port", "15123");
    settings.put("unix_socket_directories", "");
    settings.put("fsync", "on");

    ContainerSpec spec = ContainerSpec.postgres(15, settings);

    assertThat(spec.image()).isEqualTo("postgres:15");
    assertThat(spec.command()).isEqualTo(List.of("postgres", "-c", "port=15123", "-c", "fsync=on"));
    assertThat(spec.environment()).containsEntry("PGPORT", "15123");
  }

  @Test
  void a_kafka_in_a_container_has_the_settings_of_a_process_but_for_its_folder() {
    KafkaNode node = KafkaNode.of(1, 15_124);
    Map<String, String> settings =
        node.settings(
            KafkaSpec.defaults(), List.of(node), new KafkaFiles(java.nio.file.Path.of("/nowhere")));

    ContainerSpec spec = ContainerSpec.kafka(settings, "id-of-the-cluster");

    assertThat(spec.image()).matches("apache/kafka:\\d+\\.\\d+\\.\\d+");
    assertThat(spec.environment())
        .containsEntry("KAFKA_LISTENERS", settings.get("listeners"))
        .containsEntry("KAFKA_NODE_ID", "1")
        .containsEntry("CLUSTER_ID", "id-of-the-cluster")
        .containsEntry("KAFKA_LOG_DIRS", "/tmp/millrace-kafka-data")
        .hasSize(settings.size() + 2);
    assertThat(spec.command()).isEmpty();
  }
}
