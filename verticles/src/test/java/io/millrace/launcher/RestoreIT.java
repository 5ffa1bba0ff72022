package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.devstack.DevStack;
import io.millrace.devstack.DevStackSpec;
import io.millrace.devstack.PostgresServer;
import io.millrace.devstack.PostgresSpec;
import io.millrace.postgres.SchemaMigration;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A database that comes from another server: what a node says, and what an operator then does. */
@Tag("any-database")
class RestoreIT {
  private static final String TOPIC = "restored";
  private static final String DATABASE = "restored";
  private static final int AGGREGATES = 6;
  private static final long DAY_MS = 86_400_000;

  /** As {@link Stand} lays it. */
  private static final SchemaMigration.Layout LAYOUT =
      new SchemaMigration.Layout(Stand.SHARDS, 1_000_000, Stand.SLOTS, DAY_MS, 3 * DAY_MS, 3);

  @TempDir Path directory;

  private DevStack stack;
  private Stand stand;
  private PostgresServer elsewhere;
  private Arrivals arrivals;
  private final List<String> appended = new ArrayList<>();

  @BeforeEach
  void startServers() {
    stack = DevStack.start(DevStackSpec.temporary());
    elsewhere = PostgresServer.start(PostgresSpec.fromSystemProperty());
    stack.kafka().createTopic(TOPIC, 1, Map.of());
    stand = new Stand(stack);
    arrivals = new Arrivals(stack.kafka().bootstrapServers(), TOPIC);
  }

  @AfterEach
  void stopServers() {
    arrivals.close();
    stand.close();
    elsewhere.close();
    stack.close();
  }

  @Test
  void a_dump_restored_into_a_younger_server_is_refused_and_after_a_rebase_goes_on_in_order()
      throws Exception {
    spendTransactionIds(stand.connect());
    int published = publishSomeAndLeaveSome();
    restore();

    assertRefused("has seen transactions below", "run millrace rebase");
    assertThatThrownBy(this::confirmServer)
        .hasMessageContaining("has not taken over the counter")
        .hasMessageContaining("run millrace rebase");
    String told = succeeds("rebase");

    int left = appended.size() - published;
    assertThat(told)
        .contains("1 nodes are registered: watching")
        .contains("appended anew " + left + " messages")
        .contains("removed 1 dead nodes");
    goesOnInOrder();
    assertThat(fails("rebase")).contains("there is nothing to rebase");
    assertThat(restored("select count(*) from millrace.audit where act = 'rebase'")).isEqualTo("1");
  }

  @Test
  void a_server_that_has_taken_over_the_counter_is_confirmed_once() throws Exception {
    publishSomeAndLeaveSome();
    try (Connection connection =
        DriverManager.getConnection(elsewhere.jdbcUrl("postgres"), elsewhere.user(), "")) {
      spendTransactionIds(connection);
    }
    restore();

    assertRefused("the database server has the system identifier", "run millrace confirm-server");
    confirmServer();
    assertThat(succeeds("confirm-server")).contains("there was nothing to confirm");

    goesOnInOrder();
  }

  @Test
  void a_rebase_waits_for_no_node_and_touches_nothing_while_one_is_alive() throws Exception {
    spendTransactionIds(stand.connect());
    publishSomeAndLeaveSome();
    restore();
    String before =
        restored(
            "select sum(epoch) || ' ' || (select count(*) from millrace.outbox) from millrace.shard");
    UUID alive = UUID.randomUUID();
    try (Connection beating = connectElsewhere();
        Statement statement = beating.createStatement();
        MainProcess rebase = start("rebase")) {
      statement.execute("select millrace.register_node('" + alive + "', 'still-here', 'relay')");
      while (rebase.isAlive()) {
        statement.execute("select millrace.heartbeat('" + alive + "')");
      }
      assertThat(rebase.exitCode()).isEqualTo(1);
      assertThat(rebase.output()).contains("node still-here is alive: stop every node first");
    }
    assertThat(
            restored(
                "select sum(epoch) || ' ' || (select count(*) from millrace.outbox) from millrace.shard"))
        .isEqualTo(before);
  }

  @Test
  void a_sequence_that_was_not_restored_is_refused_and_set_by_the_rebase() throws Exception {
    publishSomeAndLeaveSome();
    restore();
    executeElsewhere("select setval('millrace.outbox_id', 1, false)");

    assertRefused("the sequence of message ids stands at 0, below id ", "run millrace rebase");
    succeeds("rebase");

    goesOnInOrder();
  }

  /** So that the ids of one server are far from those of the other. */
  private static void spendTransactionIds(Connection connection) throws SQLException {
    Stand.sql(
        connection,
        "do $$ begin for i in 1 .. 20000 loop perform pg_current_xact_id(); commit; end loop; end $$");
    connection.close();
  }

  /**
   * Published ones of every aggregate, and then, with no node there any more, others, of which one
   * has a lower id than some that are published. A node's row stays behind, as after a crash.
   *
   * @return how many are published
   */
  private int publishSomeAndLeaveSome() throws Exception {
    Stand.Node node = stand.start(Map.of());
    append(stand.connect(), 30);
    try (Connection late = stand.connect()) {
      late.setAutoCommit(false);
      Stand.sql(late, Stand.append(TOPIC, "late", "late"));
      append(stand.connect(), 30);
      int published = appended.size();
      arrivals.awaitPayloads(appended);
      node.stop();
      late.commit();
      appended.add("late");
      append(stand.connect(), 60);
      stand.sql("select millrace.register_node('" + UUID.randomUUID() + "', 'crashed', 'relay')");
      return published;
    }
  }

  private void append(Connection connection, int count) throws SQLException {
    try (connection) {
      List<String> payloads =
          IntStream.range(appended.size(), appended.size() + count)
              .mapToObj(i -> i % AGGREGATES + ":" + i)
              .toList();
      for (String payload : payloads) {
        Stand.sql(connection, Stand.append(TOPIC, "o" + aggregateOf(payload), payload));
      }
      appended.addAll(payloads);
    }
  }

  private void restore() throws Exception {
    try (Connection from = stand.connect()) {
      LogicalRestore.restore(from, elsewhere, DATABASE, LAYOUT);
    }
  }

  private Map<String, Object> moved() {
    return Map.of("database.port", elsewhere.port(), "database.name", DATABASE);
  }

  private void assertRefused(String reason, String advice) {
    assertThatThrownBy(() -> stand.start(moved()))
        .hasMessageContaining("Millrace does not start")
        .hasMessageContaining(reason)
        .hasMessageContaining(advice);
  }

  /** All that was left arrives once, and what is appended on the new server after it. */
  private void goesOnInOrder() throws Exception {
    Stand.Node node = stand.start(moved());
    append(connectElsewhere(), 30);
    List<String> all = arrivals.awaitPayloads(appended);
    node.stop();
    assertThat(all).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(appended);
    for (int aggregate = 0; aggregate < AGGREGATES; aggregate++) {
      String own = aggregate + ":";
      Stream<String> inOrder = appended.stream().filter(p -> p.startsWith(own));
      assertThat(all.stream().filter(p -> p.startsWith(own)))
          .containsExactlyElementsOf(inOrder.toList());
    }
  }

  private static String aggregateOf(String payload) {
    return payload.substring(0, payload.indexOf(':'));
  }

  private void confirmServer() throws Exception {
    try (MainProcess process = start("confirm-server")) {
      if (process.exitCode() != 0) {
        throw new IllegalStateException(process.output());
      }
      assertThat(process.output()).contains("the server is confirmed");
    }
  }

  private String succeeds(String command) throws Exception {
    try (MainProcess process = start(command)) {
      assertThat(process.exitCode()).as(process.output()).isZero();
      return process.output();
    }
  }

  private String fails(String command) throws Exception {
    try (MainProcess process = start(command)) {
      assertThat(process.exitCode()).as(process.output()).isEqualTo(1);
      return process.output();
    }
  }

  private MainProcess start(String command) throws Exception {
    Map<String, Object> values = new HashMap<>(moved());
    Path config = Stand.writeConfig(directory.resolve("moved.yaml"), stand.config(values));
    return MainProcess.start(
        directory.resolve(command + ".log"),
        command,
        "--config",
        config.toString(),
        "--actor",
        "tester");
  }

  private Connection connectElsewhere() throws SQLException {
    return DriverManager.getConnection(elsewhere.jdbcUrl(DATABASE), elsewhere.user(), "");
  }

  private void executeElsewhere(String sql) throws SQLException {
    try (Connection connection = connectElsewhere()) {
      Stand.sql(connection, sql);
    }
  }

  private String restored(String sql) throws SQLException {
    try (Connection connection = connectElsewhere();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }
}
