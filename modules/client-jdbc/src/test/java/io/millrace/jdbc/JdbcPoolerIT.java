package io.millrace.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.message.MessageRules;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import io.millrace.devstack.PgBouncerServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Appends over JDBC through a PgBouncer in transaction mode, two sessions for four connections. */
@Tag("any-database")
class JdbcPoolerIT {
  private static final int CONNECTIONS = 4;

  /** More executions than pgjdbc waits for before it keeps a statement on the server. */
  private static final int ROUNDS = 12;

  private final JdbcOutbox outbox =
      new JdbcOutbox(new MessageRules(JdbcDatabase.PAYLOAD_BYTES_MAX));
  private JdbcDatabase database;
  private PgBouncerServer pooler;

  @BeforeEach
  void start() {
    database = JdbcDatabase.start();
    pooler = PgBouncerServer.start(database.server(), Map.of("default_pool_size", "2"));
  }

  @AfterEach
  void stop() {
    pooler.close();
    database.close();
  }

  @Test
  void appends_work_when_statements_are_not_kept_on_the_server_and_only_then() throws SQLException {
    appendOnEach("&prepareThreshold=0");
    assertThat(database.count("millrace.outbox")).isEqualTo(CONNECTIONS * ROUNDS);

    assertThatThrownBy(() -> appendOnEach(""))
        .isInstanceOf(SQLException.class)
        .satisfies(e -> assertThat(((SQLException) e).getSQLState()).isIn("26000", "42P05"));
  }

  /** In turn, two transactions open at a time, so that sessions change hands. */
  private void appendOnEach(String parameters) throws SQLException {
    List<Connection> connections = new ArrayList<>();
    try {
      for (int i = 0; i < CONNECTIONS; i++) {
        Connection connection = database.connect(pooler, JdbcDatabase.SHOP, parameters);
        connections.add(connection);
        connection.setAutoCommit(false);
      }
      for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < CONNECTIONS; i += 2) {
          append(connections.get((i + round) % CONNECTIONS));
          append(connections.get((i + round + 1) % CONNECTIONS));
          connections.get((i + round + 1) % CONNECTIONS).commit();
          connections.get((i + round) % CONNECTIONS).commit();
        }
      }
    } finally {
      for (Connection connection : connections) {
        connection.close();
      }
    }
  }

  private void append(Connection connection) throws SQLException {
    outbox.append(
        connection, List.of(NewMessage.of("orders", "order", "o", "paid", Payload.of("{}"))));
  }
}
