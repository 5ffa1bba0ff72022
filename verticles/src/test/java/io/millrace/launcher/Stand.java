package io.millrace.launcher;

import io.millrace.core.config.MillraceConfig;
import io.millrace.devstack.DevStack;
import io.millrace.devstack.PgBouncerServer;
import io.millrace.devstack.PoolerChoice;
import io.millrace.postgres.SchemaMigration;
import io.millrace.testkit.NodeProcess;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.yaml.snakeyaml.Yaml;

/**
 * A database of its own with its schema laid, beside a Kafka, and the nodes that work on it in this
 * process, each in a Vertx of its own.
 */
public final class Stand implements AutoCloseable {
  public static final int SHARDS = 4;
  public static final int SLOTS = 3;
  public static final Duration LIMIT = Duration.ofSeconds(60);

  private static final long DAY_MS = 86_400_000;
  private static final AtomicInteger DATABASES = new AtomicInteger();

  private final DevStack stack;
  private final String database = "stand_" + DATABASES.incrementAndGet();
  private final List<Node> nodes = new ArrayList<>();
  private int nodesStarted;

  public Stand(DevStack stack) {
    this(stack, 3);
  }

  /** With ids kept for so many days: a bucket each. */
  public Stand(DevStack stack, int inboxRetentionDays) {
    this.stack = stack;
    stack.postgres().createDatabase(database);
    new SchemaMigration(
            new SchemaMigration.Login(
                stack.postgres().host(),
                stack.postgres().port(),
                database,
                stack.postgres().user(),
                "",
                "disable"),
            new SchemaMigration.Layout(
                SHARDS, 1_000_000, SLOTS, DAY_MS, inboxRetentionDays * DAY_MS, 3))
        .migrate();
  }

  /** A node, and the Vertx that is its own. */
  public record Node(String name, Vertx vertx, Millrace millrace) {

    /** Starts it in this process, from a complete configuration by key. */
    public static Node start(Map<String, ?> values, UnaryOperator<Millrace.Builder> additions) {
      return start(Vertx.vertx(), values, additions);
    }

    /** In a Vertx that becomes its own. */
    static Node start(
        Vertx vertx, Map<String, ?> values, UnaryOperator<Millrace.Builder> additions) {
      MillraceConfig config = MillraceConfig.from(values);
      try {
        Millrace millrace = await(additions.apply(Millrace.in(vertx, config)).start());
        return new Node(config.node().id(), vertx, millrace);
      } catch (AssertionError e) {
        await(vertx.close());
        throw e;
      }
    }

    public AdminPages pages() {
      return new AdminPages(millrace.adminPort().orElseThrow());
    }

    /** In order: settles, releases, leaves. */
    public void stop() {
      await(millrace.stop());
      await(vertx.close());
    }
  }

  /** Quick looks, the ring left alone; what a test gives is stronger. */
  public Map<String, Object> config(Map<String, ?> own) {
    Map<String, Object> values = new HashMap<>();
    values.put("schema.shard_count", SHARDS);
    values.put("node.lease_duration_ms", 5_000);
    values.put("node.heartbeat_interval_ms", 300);
    values.put("database.host", stack.postgres().host());
    values.put("database.port", stack.postgres().port());
    values.put("database.name", database);
    values.put("database.user", stack.postgres().user());
    values.put("database.ssl_mode", "disable");
    // Who says where the database is means just that.
    if (!own.containsKey("database.port")) {
      PoolerChoice.before(stack.postgres()).ifPresent(pooler -> putPooler(values, pooler));
    }
    values.put("kafka.bootstrap_servers", stack.kafka().bootstrapServers());
    values.put("relay.poll_interval_max_ms", 100);
    values.put("relay.idle_receipt_interval_ms", 200);
    values.put("relay.retry_delay_max_ms", 500);
    values.put("maintenance.slots_min", SLOTS);
    values.put("admin.port", 0);
    values.putAll(own);
    return values;
  }

  /** What a node behind a pooler is told; commands find the server itself. */
  private void putPooler(Map<String, Object> values, PgBouncerServer pooler) {
    values.put("database.port", pooler.port());
    values.put("database.pooler", "transaction");
    values.put("database.direct_port", stack.postgres().port());
  }

  /** The same node's configuration, through a pooler. */
  public Map<String, Object> through(PgBouncerServer pooler, Map<String, ?> own) {
    Map<String, Object> values = new HashMap<>();
    putPooler(values, pooler);
    values.putAll(own);
    return values;
  }

  public Node start(Map<String, ?> own) {
    return start(own, builder -> builder);
  }

  public Node start(Map<String, ?> own, UnaryOperator<Millrace.Builder> additions) {
    return start(Vertx.vertx(), own, additions);
  }

  Node start(Vertx vertx, Map<String, ?> own, UnaryOperator<Millrace.Builder> additions) {
    Map<String, Object> values = new LinkedHashMap<>(own);
    values.putIfAbsent("node.id", "node-" + ++nodesStarted);
    Node node = Node.start(vertx, config(values), additions);
    nodes.add(node);
    return node;
  }

  /** A node in a process of its own, to be killed. Its log is beside its configuration. */
  public NodeProcess startProcess(String name, Path directory, Map<String, ?> own) {
    Map<String, Object> values = new HashMap<>(own);
    values.put("node.id", name);
    return NodeProcess.start(
        List.of(),
        directory.resolve(name + ".log"),
        List.of(
            "-Xmx256m",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1"),
        List.of(
            "io.millrace.launcher.Main",
            "run",
            "--config",
            writeConfig(directory.resolve(name + ".yaml"), config(values)).toString()));
  }

  /** Sections of keys, as in the shipped file. */
  public static Path writeConfig(Path file, Map<String, ?> values) {
    Map<String, Map<String, Object>> sections = new TreeMap<>();
    values.forEach(
        (key, value) -> {
          String[] parts = key.split("\\.", 2);
          sections.computeIfAbsent(parts[0], section -> new TreeMap<>()).put(parts[1], value);
        });
    try {
      return Files.writeString(file, new Yaml().dump(sections));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Its name on the server. */
  public String database() {
    return database;
  }

  public Connection connect() throws SQLException {
    return DriverManager.getConnection(
        stack.postgres().jdbcUrl(database), stack.postgres().user(), "");
  }

  public void sql(String... statements) throws SQLException {
    try (Connection connection = connect()) {
      sql(connection, statements);
    }
  }

  /** In a transaction of the caller's own. */
  public static void sql(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  public long number(String query) throws SQLException {
    return Long.parseLong(text(query));
  }

  /** The first column of the first row. */
  public String text(String query) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return String.valueOf(rows.getString(1));
    }
  }

  /** The statement that appends one message of an order. */
  public static String append(String topic, String order, String payload) {
    return ("select * from millrace.append('%s', 'order', '%s', 'changed', convert_to('%s', 'UTF8'))")
        .formatted(topic, order, payload);
  }

  /** An order whose messages are in this shard. */
  public String orderOfShard(int shard) throws SQLException {
    return text(
        "select 'o' || n from generate_series(1, 1000) n where millrace.shard_of('order', 'o' || n) = "
            + shard
            + " limit 1");
  }

  /** Several orders whose messages are in this shard. */
  public List<String> ordersOfShard(int shard, int count) throws SQLException {
    return List.of(
        text("select string_agg(o, ',') from (select 'o' || n as o from generate_series(1, 1000) n"
                + " where millrace.shard_of('order', 'o' || n) = %d limit %d) orders"
                    .formatted(shard, count))
            .split(","));
  }

  /** Waits for the answer. */
  public static <T> T await(Future<T> future) {
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
  public void close() {
    for (Node node : nodes) {
      if (node.vertx().deploymentIDs().isEmpty()) {
        continue;
      }
      node.stop();
    }
  }
}
