package io.millrace.devstack;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import kafka.tools.StorageTool;
import org.apache.kafka.common.KafkaException;

/**
 * The directory of a broker: its settings, its data and its log.
 *
 * @param directory must exist
 */
record KafkaFiles(Path directory) {

  Path settings() {
    return directory.resolve("server.properties");
  }

  Path data() {
    return directory.resolve("data");
  }

  Path log() {
    return directory.resolve("kafka.log");
  }

  /**
   * Writes the settings, and formats the data folder where that is not done yet.
   *
   * @param clusterId the same for all brokers of a Kafka; one of a formatted folder stays
   */
  void prepare(Map<String, String> settings, String clusterId) {
    try {
      Files.writeString(logging(), Resources.text("broker-logback.xml"));
      Files.writeString(settings(), properties(settings), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new DevStackException("cannot write the settings of Kafka to " + directory, e);
    }
    if (!Files.exists(data().resolve("meta.properties"))) {
      format(clusterId);
    }
  }

  private static String properties(Map<String, String> settings) {
    return settings.entrySet().stream()
        .map(setting -> setting.getKey() + "=" + setting.getValue().replace("\\", "\\\\") + "\n")
        .collect(Collectors.joining());
  }

  private void format(String clusterId) {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    String[] arguments = {"format", "--cluster-id=" + clusterId, "--config", settings().toString()};
    try {
      int status =
          StorageTool.execute(arguments, new PrintStream(output, true, StandardCharsets.UTF_8));
      if (status != 0) {
        throw new DevStackException(
            "cannot format %s for Kafka, status %d: %s"
                .formatted(data(), status, output.toString(StandardCharsets.UTF_8)));
      }
    } catch (KafkaException e) {
      throw new DevStackException("cannot format %s for Kafka: %s".formatted(data(), e), e);
    }
  }

  private Path logging() {
    return directory.resolve("logback.xml");
  }

  /** The broker as a JVM of its own. */
  List<String> commandLine(List<String> jvmOptions) {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(jvmOptions);
    line.addAll(
        List.of(
            "-Dlogback.configurationFile=" + logging(),
            "-cp",
            classPath(),
            "kafka.Kafka",
            settings().toString()));
    return line;
  }

  /**
   * Folders hold the application's classes, and its logging settings, neither of which Kafka needs.
   */
  private static String classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(entry -> Path.of(entry).toAbsolutePath())
        .filter(Files::isRegularFile)
        .map(Path::toString)
        .collect(Collectors.joining(File.pathSeparator));
  }
}
