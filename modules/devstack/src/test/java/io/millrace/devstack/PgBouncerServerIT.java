package io.millrace.devstack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PgBouncerServerIT {
  private static final Map<String, String> ONE_SESSION = Map.of("default_pool_size", "1");

  private static PostgresServer postgres;

  @TempDir Path directory;

  @BeforeAll
  static void start() {
    postgres = PostgresServer.start(PostgresSpec.fromSystemProperty());
    postgres.createDatabase("shop");
  }

  @AfterAll
  static void stop() {
    postgres.close();
  }

  @Test
  void it_comes_from_the_systems_packages_with_nothing_installed() throws Exception {
    Path folder =
        new ProgramCache(directory.resolve("cache")).folder("pgbouncer", PgBouncerPrograms::fetch);
    PgBouncerPrograms programs = PgBouncerPrograms.unpacked(folder);

    Process version =
        new ProcessBuilder("env", programs.prefix().get(1), programs.program().toString(), "-V")
            .redirectErrorStream(true)
            .start();
    String text = new String(version.getInputStream().readAllBytes());
    assertThat(version.waitFor()).as(text).isZero();
    assertThat(text).contains("PgBouncer 1.");
  }

  @Test
  void clients_take_turns_on_one_session_of_the_server() throws Exception {
    try (PgBouncerServer pooler = PgBouncerServer.start(postgres, ONE_SESSION);
        Connection one = connect(pooler);
        Connection other = connect(pooler)) {
      Set<String> sessions =
          new HashSet<>(
              List.of(
                  value(one, "select pg_backend_pid()"), value(other, "select pg_backend_pid()")));

      assertThat(sessions).hasSize(1);
      assertThat(value(one, "select current_database()")).isEqualTo("shop");
    }
  }

  @Test
  void a_configuration_counts_but_for_where_it_listens_and_who_may_log_in() throws Exception {
    String ini = "[pgbouncer]\nauth_type = scram-sha-256\nlisten_port = 1\ndefault_pool_size = 2\n";
    try (PgBouncerServer pooler = PgBouncerServer.start(postgres, ini, Map.of());
        Connection one = connect(pooler);
        Connection other = connect(pooler)) {
      one.setAutoCommit(false);
      other.setAutoCommit(false);

      assertThat(value(one, "select pg_backend_pid()"))
          .isNotEqualTo(value(other, "select pg_backend_pid()"));
    }
  }

  @Test
  void it_can_be_killed_and_comes_back_on_its_port() throws Exception {
    try (PgBouncerServer pooler = PgBouncerServer.start(postgres, ONE_SESSION)) {
      long first = pooler.pid();
      pooler.kill();
      assertThat(pooler.isRunning()).isFalse();
      assertThatThrownBy(() -> connect(pooler)).isInstanceOf(SQLException.class);

      pooler.restart();

      assertThat(pooler.pid()).isNotEqualTo(first);
      try (Connection connection = connect(pooler)) {
        assertThat(value(connection, "select 1")).isEqualTo("1");
      }
    }
  }

  @Test
  void nothing_of_it_is_left_when_it_is_closed() throws Exception {
    PgBouncerServer pooler = PgBouncerServer.start(postgres, ONE_SESSION);
    long pid = pooler.pid();
    Path folder = pooler.logFile().getParent();
    assertThat(folder).exists();

    pooler.close();

    assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
    assertThat(Files.exists(folder)).isFalse();
  }

  private static Connection connect(PgBouncerServer pooler) throws SQLException {
    return DriverManager.getConnection(pooler.jdbcUrl("shop"), postgres.user(), "");
  }

  private static String value(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }
}
