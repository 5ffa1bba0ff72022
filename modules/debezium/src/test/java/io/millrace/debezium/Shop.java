package io.millrace.debezium;

import static org.awaitility.Awaitility.await;

import io.millrace.client.InboxConsumer;
import io.millrace.client.InboxContext;
import io.millrace.client.InboxMessage;
import io.millrace.core.config.MillraceConfig;
import io.millrace.devstack.DevStack;
import io.millrace.devstack.PostgresSpec;
import io.millrace.launcher.Millrace;
import io.millrace.postgres.SchemaMigration;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Tuple;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A database with the schema laid, whose orders are announced on a topic and booked from there into
 * a table of the same database, and the nodes that work on it.
 */
final class Shop implements AutoCloseable {
  static final String DATABASE = "shop";
  static final String TOPIC = "orders";

  private static final int SHARDS = 4;
  private static final int SLOTS = 3;
  private static final long DAY_MS = 86_400_000;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final DevStack stack;
  private final List<Node> nodes = new ArrayList<>();

  /** Each statement is a transaction. */
  private final Connection connection;

  /** A node in this process. */
  record Node(Vertx vertx, Millrace millrace) {
    /** Nothing happens when it is stopped already. */
    void stop() {
      if (!vertx.deploymentIDs().isEmpty()) {
        result(millrace.stop());
        result(vertx.close());
      }
    }
  }

  Shop(DevStack stack) throws SQLException {
    this.stack = stack;
    stack.postgres().createDatabase(DATABASE);
    new SchemaMigration(
            new SchemaMigration.Login(
                stack.postgres().host(),
                stack.postgres().port(),
                DATABASE,
                stack.postgres().user(),
                "",
                "disable"),
            new SchemaMigration.Layout(SHARDS, 1_000_000, SLOTS, DAY_MS, 3 * DAY_MS, 3))
        .migrate();
    connection = connect();
    stack.kafka().createTopic(TOPIC, 2, Map.of());
    stack.kafka().createTopic(Debezium.HEARTBEATS, 1, Map.of());
    sql("create role %s login replication in role millrace_reader".formatted(Debezium.USER));
    sql(
        "create table booked (message_id uuid, aggregate text, revision bigint, number bigint generated always as identity)");
  }

  /** Restless: every slot is closed soon, and emptied as soon as it may be. */
  Node start(boolean isRelay) {
    return start(isRelay, true);
  }

  /** From now on no slot is emptied, until another node is started. */
  void stopMaintaining() {
    nodes.forEach(Node::stop);
    start(false, false);
  }

  private Node start(boolean isRelay, boolean isMaintaining) {
    Map<String, Object> values = new HashMap<>();
    values.put("node.id", "node-" + nodes.size());
    values.put("schema.shard_count", SHARDS);
    values.put("node.heartbeat_interval_ms", 300);
    values.put("database.host", stack.postgres().host());
    values.put("database.port", stack.postgres().port());
    values.put("database.name", DATABASE);
    values.put("database.user", stack.postgres().user());
    values.put("database.ssl_mode", "disable");
    values.put("kafka.bootstrap_servers", stack.kafka().bootstrapServers());
    values.put("relay.enabled", isRelay);
    values.put("relay.poll_interval_max_ms", 100);
    values.put("maintenance.enabled", isMaintaining);
    values.put("maintenance.slots_min", SLOTS);
    values.put("maintenance.interval_ms", 100);
    values.put("maintenance.slot_age_max_ms", 500);
    values.put("maintenance.retention_ms", 0);
    values.put("inbox.retention_check", "warn");
    values.put("admin.enabled", false);
    Vertx vertx = Vertx.vertx();
    try {
      Millrace millrace =
          result(
              Millrace.in(vertx, MillraceConfig.from(values))
                  .withConsumer(InboxConsumer.of("books", List.of(TOPIC), Shop::book))
                  .start());
      Node node = new Node(vertx, millrace);
      nodes.add(node);
      return node;
    } catch (AssertionError e) {
      result(vertx.close());
      throw e;
    }
  }

  private static Future<Void> book(InboxMessage message, InboxContext context) {
    return context
        .connection()
        .preparedQuery("insert into booked values ($1, $2, $3)")
        .execute(
            Tuple.of(
                message.messageId(),
                message.aggregateId().orElseThrow(),
                message.revision().orElseThrow()))
        .mapEmpty();
  }

  /** PostgreSQL 17 or newer: the mark with which PREPARE TRANSACTION may be used. */
  static boolean hasFailover() {
    return Integer.getInteger(PostgresSpec.VERSION_PROPERTY, 18) >= 17;
  }

  /** Steps 1 and 2 of the guide. */
  void prepareDebezium() {
    await()
        .atMost(LIMIT)
        .ignoreExceptionsMatching(e -> String.valueOf(e.getMessage()).contains("call it again"))
        .until(() -> text("select millrace.prepare_debezium('ann')") != null);
    sql(
        "select pg_create_logical_replication_slot('millrace_outbox', 'pgoutput', "
            + (hasFailover() ? "failover => true)" : "twophase => true)"));
  }

  /** Step 3. What it waits for; null: Debezium publishes. */
  String useDebezium() {
    return text("select millrace.use_debezium('millrace_outbox', 'ann')");
  }

  /** The way back. What it waits for; null: the relay publishes. */
  String useRelay() {
    return text("select millrace.use_relay('ann')");
  }

  void dropReplicationSlot() {
    sql("select pg_drop_replication_slot('millrace_outbox')");
  }

  /** An order's next revision, in a transaction of its own; returns the message id. */
  String append(String order, long revision) {
    return appended("'%s', 'order', '%s', 'changed', 'x', %d", order, revision);
  }

  /** With all that a message can have. */
  String appendInFull(String order, long revision) {
    return appended(
        "'%s', 'order', '%s', 'changed', '\\x00ff'::bytea, %d, message_key => 'its key',"
            + " schema_version => '7', content_type => 'x/y',"
            + " headers => array['traceparent', '00-ab', 'own', 'a', 'own', 'b']",
        order, revision);
  }

  String appendEmpty(String order, long revision) {
    return appended("'%s', 'order', '%s', 'removed', null, %d", order, revision);
  }

  private String appended(String values, String order, long revision) {
    return text(
        "select message from millrace.append(" + values.formatted(TOPIC, order, revision) + ")");
  }

  /** Left prepared. */
  String appendPrepared(String order, long revision, String name) throws SQLException {
    try (Connection own = connect();
        Statement statement = own.createStatement()) {
      own.setAutoCommit(false);
      String messageId;
      try (ResultSet rows =
          statement.executeQuery(
              "select message from millrace.append('%s', 'order', '%s', 'changed', 'x', %d)"
                  .formatted(TOPIC, order, revision))) {
        rows.next();
        messageId = rows.getString(1);
      }
      statement.execute("prepare transaction '" + name + "'");
      return messageId;
    }
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(
        stack.postgres().jdbcUrl(DATABASE), stack.postgres().user(), "");
  }

  void sql(String statement) {
    try (Statement statements = connection.createStatement()) {
      statements.execute(statement);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** One column of each row. */
  List<String> column(String query) {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      List<String> values = new ArrayList<>();
      while (rows.next()) {
        values.add(rows.getString(1));
      }
      return values;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  String text(String query) {
    return column(query).get(0);
  }

  long number(String query) {
    return Long.parseLong(text(query));
  }

  static <T> T result(Future<T> future) {
    try {
      return future
          .toCompletionStage()
          .toCompletableFuture()
          .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError("did not complete well: " + e, e);
    }
  }

  @Override
  public void close() throws SQLException {
    nodes.forEach(Node::stop);
    connection.close();
  }
}
