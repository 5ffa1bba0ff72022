package io.millrace.devstack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresServerIT {

  @ParameterizedTest
  @ValueSource(ints = {18, 15})
  void a_killed_server_keeps_what_was_committed_and_nothing_else(int version) throws SQLException {
    try (PostgresServer server = PostgresServer.start(PostgresSpec.ofVersion(version))) {
      Sql.execute(server, "create table kept (id int)");
      Sql.execute(server, "insert into kept select generate_series(1, 1000)");
      try (Connection open = Sql.connect(server, "postgres");
          Statement statement = open.createStatement()) {
        open.setAutoCommit(false);
        statement.execute("insert into kept select generate_series(1001, 2000)");
        server.kill();
      } catch (SQLException closedByTheKill) {
        assertThat(server.isRunning()).isFalse();
      }
      long before = server.pid();
      server.restart();
      assertThat(server.pid()).isNotEqualTo(before);
      assertThat(Sql.value(server, "postgres", "select count(*) from kept")).isEqualTo("1000");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {18, 15})
  void commits_are_durable_and_the_server_has_the_version_asked_for(int version)
      throws SQLException {
    try (PostgresServer server = PostgresServer.start(PostgresSpec.ofVersion(version))) {
      assertThat(show(server, "fsync")).isEqualTo("on");
      assertThat(show(server, "synchronous_commit")).isEqualTo("on");
      assertThat(show(server, "full_page_writes")).isEqualTo("on");
      assertThat(show(server, "server_encoding")).isEqualTo("UTF8");
      assertThat(show(server, "max_prepared_transactions")).isEqualTo("64");
      assertThat(show(server, "server_version")).startsWith(version + ".");
    }
  }

  @Test
  void a_setting_of_the_spec_is_stronger_than_the_default() throws SQLException {
    PostgresSpec spec =
        PostgresSpec.fromSystemProperty()
            .withSettings(Map.of("max_connections", "17", "application_name", "two words"));
    try (PostgresServer server = PostgresServer.start(spec)) {
      assertThat(show(server, "max_connections")).isEqualTo("17");
    }
  }

  @Test
  void killing_the_server_ends_its_backends_and_closing_it_then_removes_everything()
      throws Exception {
    PostgresServer server = startProcess();
    Path directory = server.logFile().getParent();
    try (Connection open = Sql.connect(server, "postgres")) {
      assertThat(open.isValid(1)).isTrue();
      List<ProcessStat> backends = ProcessStat.descendants(server.pid());
      assertThat(backends).hasSizeGreaterThan(3);
      server.kill();
      assertThat(backends).noneMatch(ProcessStat::isAlive);
    }
    String memory = sharedMemoryId(directory);
    assertThat(sharedMemoryIds()).contains(memory);
    server.close();
    assertThat(directory).doesNotExist();
    assertThat(sharedMemoryIds()).doesNotContain(memory);
  }

  @Test
  void closing_a_running_server_removes_everything() throws Exception {
    PostgresServer server = startProcess();
    Path directory = server.logFile().getParent();
    String memory = sharedMemoryId(directory);
    long pid = server.pid();
    server.close();
    assertThat(ProcessStat.read(pid)).isEmpty();
    assertThat(directory).doesNotExist();
    assertThat(sharedMemoryIds()).doesNotContain(memory);
  }

  @Test
  void a_paused_server_does_not_answer_until_it_is_resumed() throws SQLException {
    try (PostgresServer server = PostgresServer.start(PostgresSpec.fromSystemProperty());
        Connection open = Sql.connect(server, "postgres")) {
      server.pause();
      assertThat(open.isValid(1)).isFalse();
      server.resume();
      assertThat(Sql.value(server, "postgres", "select 1")).isEqualTo("1");
    }
  }

  @Test
  void a_paused_server_can_be_stopped_and_started_again() throws SQLException {
    try (PostgresServer server = PostgresServer.start(PostgresSpec.fromSystemProperty())) {
      server.pause();
      server.stop();
      assertThat(server.isRunning()).isFalse();
      server.restart();
      assertThat(Sql.value(server, "postgres", "select 1")).isEqualTo("1");
    }
  }

  @Test
  void a_second_start_on_the_same_directory_finds_the_data_again(@TempDir Path directory)
      throws SQLException {
    PostgresSpec spec = PostgresSpec.fromSystemProperty().withDataDirectory(directory);
    try (PostgresServer first = PostgresServer.start(spec)) {
      Sql.execute(first, "create table kept (id int)");
    }
    try (PostgresServer second = PostgresServer.start(spec)) {
      assertThat(Sql.value(second, "postgres", "select count(*) from kept")).isEqualTo("0");
    }
    assertThat(directory.resolve("data/postmaster.pid")).doesNotExist();
  }

  @Test
  void a_second_server_on_a_directory_in_use_fails_and_does_not_hurt_the_first(
      @TempDir Path directory) throws Exception {
    PostgresSpec spec = PostgresSpec.fromSystemProperty().withDataDirectory(directory);
    try (PostgresServer first = PostgresServer.start(spec)) {
      String memory = sharedMemoryId(directory);
      assertThatThrownBy(() -> PostgresServer.start(spec))
          .isInstanceOf(DevStackException.class)
          .hasMessageContaining("postmaster.pid");
      assertThat(sharedMemoryIds()).contains(memory);
      assertThat(Sql.value(first, "postgres", "select 1")).isEqualTo("1");
    }
  }

  @Test
  void a_server_that_exits_on_start_fails_with_the_end_of_its_log() {
    PostgresSpec spec =
        PostgresSpec.fromSystemProperty().withSettings(Map.of("no_such_setting", "on"));
    assertThatThrownBy(() -> PostgresServer.start(spec))
        .isInstanceOf(DevStackException.class)
        .hasMessageContaining("exited with status 1")
        .hasMessageContaining("no_such_setting");
  }

  @Test
  void a_created_database_accepts_connections() throws SQLException {
    try (PostgresServer server = PostgresServer.start(PostgresSpec.fromSystemProperty())) {
      server.createDatabase("orders");
      assertThat(Sql.value(server, "orders", "select current_database()")).isEqualTo("orders");
      assertThatThrownBy(() -> server.createDatabase("orders"))
          .isInstanceOf(DevStackException.class);
    }
  }

  @Test
  void a_version_that_is_not_carried_is_refused_by_name() {
    assertThatThrownBy(() -> PostgresServer.start(PostgresSpec.ofVersion(9)))
        .isInstanceOf(DevStackException.class)
        .hasMessageContaining("no PostgreSQL 9 here");
  }

  /** Where all others are containers, too: what a process leaves on the machine is asked of one. */
  private static PostgresServer startProcess() {
    String chosen = System.getProperty(ServerChoice.PROPERTY, "embedded");
    System.setProperty(ServerChoice.PROPERTY, "embedded");
    try {
      return PostgresServer.start(PostgresSpec.fromSystemProperty());
    } finally {
      System.setProperty(ServerChoice.PROPERTY, chosen);
    }
  }

  private static String show(PostgresServer server, String setting) throws SQLException {
    return Sql.value(server, "postgres", "show " + setting);
  }

  private static String sharedMemoryId(Path directory) throws IOException {
    return Files.readAllLines(directory.resolve("data/postmaster.pid"))
        .get(6)
        .trim()
        .split(" +")[1];
  }

  private static List<String> sharedMemoryIds() throws IOException {
    return Files.readAllLines(Path.of("/proc/sysvipc/shm")).stream()
        .skip(1)
        .map(line -> line.trim().split(" +")[1])
        .toList();
  }
}
