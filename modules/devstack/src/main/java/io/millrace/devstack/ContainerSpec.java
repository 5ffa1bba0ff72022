package io.millrace.devstack;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;

/**
 * What a server's container is made of: the public image, and the same settings as the process
 * would have. It shares the machine's network, so that addresses and ports are the same as well.
 *
 * @param command what the image is told to run; empty: what it runs by itself
 */
record ContainerSpec(String image, Map<String, String> environment, List<String> command) {
  private static final String KAFKA_DATA = "/tmp/millrace-kafka-data";

  ContainerSpec {
    environment = Map.copyOf(environment);
    command = List.copyOf(command);
  }

  /**
   * A PostgreSQL.
   *
   * @param settings as the server's command line has them
   * @throws DevStackException for a version that there is no process of either
   */
  static ContainerSpec postgres(int majorVersion, Map<String, String> settings) {
    PostgresBinaries.requireCarried(majorVersion);
    List<String> command = new ArrayList<>(List.of("postgres"));
    settings.forEach(
        (name, value) -> {
          // The image makes its database through a socket, which nobody else sees.
          if (!name.equals("unix_socket_directories")) {
            command.addAll(List.of("-c", name + "=" + value));
          }
        });
    return new ContainerSpec(
        "postgres:" + majorVersion,
        Map.of(
            "POSTGRES_HOST_AUTH_METHOD",
            "trust",
            "POSTGRES_INITDB_ARGS",
            "--encoding=UTF8 --locale=C",
            "PGPORT",
            settings.getOrDefault("port", "5432")),
        command);
  }

  /**
   * A broker of the version whose client is on the class path.
   *
   * @param settings as the properties file has them
   */
  static ContainerSpec kafka(Map<String, String> settings, String clusterId) {
    Map<String, String> environment = new LinkedHashMap<>();
    settings.forEach((name, value) -> environment.put(variable(name), value));
    environment.put(variable("log.dirs"), KAFKA_DATA);
    environment.put("CLUSTER_ID", clusterId);
    environment.put("KAFKA_HEAP_OPTS", "-Xmx256m");
    return new ContainerSpec("apache/kafka:" + kafkaVersion(), environment, List.of());
  }

  private static String kafkaVersion() {
    Properties versions = new Properties();
    try {
      versions.load(new StringReader(Resources.text("binaries.properties")));
    } catch (IOException e) {
      throw new IllegalStateException("a text cannot fail to be read", e);
    }
    return versions.getProperty("kafka");
  }

  /** As the image reads a broker's settings from its environment. */
  private static String variable(String name) {
    return "KAFKA_"
        + name.replace("_", "__").replace("-", "___").replace(".", "_").toUpperCase(Locale.ROOT);
  }
}
