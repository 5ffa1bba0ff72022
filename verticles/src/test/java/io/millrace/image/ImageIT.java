package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.devstack.DevStack;
import io.millrace.image.ImageTar.Entry;
import io.millrace.launcher.AdminPages;
import io.millrace.launcher.SharedStack;
import io.millrace.launcher.Stand;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The image that the build makes, without the runtime that it usually stands on. */
@Tag("any-database")
class ImageIT {
  private static final Path FILE = Path.of("target", "image-for-tests", "image.tar");
  private static final String CONFIG = "etc/millrace/millrace.yaml";
  private static final Pattern PORT = Pattern.compile("admin on port (\\d+)");

  private static ImageTar image;

  @TempDir Path directory;

  @BeforeAll
  static void read() throws Exception {
    assertThat(FILE)
        .as("made by Maven in the phase pre-integration-test: mvn verify -pl verticles -am")
        .exists();
    image = new ImageTar(FILE);
  }

  private static JsonObject config() {
    return image.description().getJsonObject("config");
  }

  private static List<String> strings(JsonArray array) {
    return array.stream().map(String::valueOf).toList();
  }

  @Test
  void java_itself_is_started_by_a_user_without_rights_with_the_configuration_at_its_place() {
    assertThat(strings(config().getJsonArray("Entrypoint")))
        .startsWith("java")
        .contains("-XX:+ExitOnOutOfMemoryError", "--enable-native-access=ALL-UNNAMED")
        .endsWith("io.millrace.launcher.Main")
        .anyMatch(flag -> flag.startsWith("-XX:MaxRAMPercentage="))
        // Which collector fits is for the runtime to say, from the container's memory and
        // processors.
        .noneMatch(flag -> flag.startsWith("-Xmx") || flag.matches("-XX:\\+Use.*GC"));
    assertThat(strings(config().getJsonArray("Cmd")))
        .containsExactly("run", "--config", "/" + CONFIG);
    assertThat(config().getString("User")).matches("[1-9][0-9]*:[1-9][0-9]*");
    assertThat(config().getJsonObject("ExposedPorts").fieldNames()).contains("8720/tcp");
  }

  @Test
  void it_says_what_it_is() {
    JsonObject labels = config().getJsonObject("Labels");
    assertThat(labels.fieldNames())
        .allMatch(name -> name.startsWith("org.opencontainers.image."))
        .hasSize(6);
    assertThat(labels.getString("org.opencontainers.image.title")).isEqualTo("Millrace");
    assertThat(labels.getString("org.opencontainers.image.base.name"))
        .as("an exact release")
        .matches("[a-z./-]+:[0-9]+\\.[0-9]+\\.[0-9]+.*");
    assertThat(image.names())
        .containsExactly("millrace:" + labels.getString("org.opencontainers.image.version"));
  }

  @Test
  void it_holds_each_library_once_and_nothing_that_only_tests_use() throws Exception {
    List<String> libraries =
        image.files().stream()
            .map(Entry::path)
            .filter(path -> path.endsWith(".jar"))
            .map(path -> path.replaceFirst(".*/(.+?)-[0-9][^/]*\\.jar$", "$1"))
            .toList();
    assertThat(libraries)
        .doesNotHaveDuplicates()
        .contains("millrace-core", "millrace-postgres", "vertx-core", "kafka-clients", "h3")
        .noneMatch(name -> name.matches("millrace-(devstack|testkit|verticles)|kafka_.*|junit.*"));
    assertThat(image.files())
        .extracting(Entry::path)
        .doesNotHaveDuplicates()
        .contains("app/conf/logback.xml", "app/LICENSE")
        .noneMatch(path -> path.matches(".*(IT|Test)\\.class"));
  }

  @Test
  void nothing_in_it_tells_when_or_by_whom_it_was_built() throws Exception {
    Instant created = image.description().getInstant("created");
    assertThat(Files.readString(Path.of("../pom.xml")))
        .contains("<project.build.outputTimestamp>" + created + "</project.build.outputTimestamp>");
    assertThat(image.files())
        .allMatch(file -> file.user() == 0)
        .allMatch(file -> (file.mode() & 0022) == 0, "only its owner may write")
        .allMatch(
            file -> file.changedAt().equals(created) || file.changedAt().getEpochSecond() < 10);
  }

  @Test
  void it_migrates_and_relays_where_nothing_but_tmp_can_be_written_and_stops_in_order()
      throws Exception {
    DevStack stack = SharedStack.get();
    String topic = "shipped";
    stack.kafka().createTopic(topic, 1, Map.of());
    stack.postgres().createDatabase("shipped");
    Path root = unpacked(stack);
    List<Path> before = files(root);
    assertThat(run(root, "id", "-u")).as("the image's user, or nobody").isIn("65532", "65534");
    assertThat(run(root, "sh", "-c", "touch /app/x || touch /x || echo none")).endsWith("none");

    try (Container migrate = start(root, "migrate", "--config", "/" + CONFIG)) {
      assertThat(migrate.exitCode()).as(migrate.output()).isZero();
      assertThat(migrate.output()).contains("schema millrace is at version");
    }
    try (Container run = start(root, strings(config().getJsonArray("Cmd")).toArray(String[]::new));
        Connection connection =
            DriverManager.getConnection(
                stack.postgres().jdbcUrl("shipped"), stack.postgres().user(), "")) {
      AdminPages pages = new AdminPages(port(run));
      await().atMost(Stand.LIMIT).until(() -> pages.ready().isReady());
      Stand.sql(connection, Stand.append(topic, "o-1", "from an image"));
      await()
          .atMost(Stand.LIMIT)
          .until(
              () ->
                  number(connection, "select coalesce(sum(message_count), 0) from millrace.receipt")
                      == 1);
      run.terminate();

      assertThat(run.exitCode()).as(run.output()).isZero();
      assertThat(run.output()).contains("Millrace has stopped").doesNotContain("not drained");
      assertThat(number(connection, "select count(owner) from millrace.shard")).isZero();
      assertThat(number(connection, "select count(*) from millrace.node")).isZero();
      assertThat(run.output().lines())
          .allSatisfy(
              line ->
                  assertThat(new JsonObject(line).fieldNames())
                      .contains("time", "level", "logger", "message"));
    }
    assertThat(files(root)).isEqualTo(before);
  }

  /** The libraries of a compression are among the files that a runtime unpacks for itself. */
  private Path unpacked(DevStack stack) throws Exception {
    Path root = Files.createDirectory(directory.resolve("root"));
    image.unpack(root);
    Path config = root.resolve(CONFIG);
    Files.createDirectories(config.getParent());
    try (Stand stand = new Stand(stack)) {
      Stand.writeConfig(
          config,
          stand.config(
              Map.of(
                  "database.name",
                  "shipped",
                  "kafka.properties",
                  Map.of("compression.type", "zstd"))));
    }
    Container.completeWithThisSystem(root);
    Process readable =
        new ProcessBuilder("chmod", "-R", "a+rX,go-w", root.toString()).inheritIO().start();
    assertThat(readable.waitFor()).isZero();
    return root;
  }

  private Container start(Path root, String... arguments) throws Exception {
    List<String> command =
        Stream.concat(strings(config().getJsonArray("Entrypoint")).stream(), Stream.of(arguments))
            .toList();
    return start(root, command);
  }

  private Container start(Path root, List<String> command) throws Exception {
    return Container.start(
        root,
        config().getString("User"),
        Map.of("MILLRACE_LOG_FORMAT", "json", "MILLRACE_SHUTDOWN_DRAIN_TIMEOUT_MS", "15000"),
        Files.createTempFile(directory, "output", ".log"),
        command);
  }

  private String run(Path root, String... command) throws Exception {
    try (Container container = start(root, List.of(command))) {
      assertThat(container.exitCode()).as(container.output()).isZero();
      return container.output().strip();
    }
  }

  private static int port(Container run) {
    await().atMost(Stand.LIMIT).until(() -> PORT.matcher(run.output()).find() || !run.isAlive());
    Matcher port = PORT.matcher(output(run));
    assertThat(port.find()).as(output(run)).isTrue();
    return Integer.parseInt(port.group(1));
  }

  private static String output(Container container) {
    try {
      return container.output();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long number(Connection connection, String query) throws Exception {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  /** Of the image: links to the machine below it are not followed. */
  private static List<Path> files(Path root) throws Exception {
    try (Stream<Path> files = Files.walk(root)) {
      return files.sorted().toList();
    }
  }
}
