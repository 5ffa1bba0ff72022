package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.devstack.DevStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The paths of docs/migration.md, there and back, with writers at work. The statements are the
 * page's own. Each change of an order is told with its revision, so that a loss is a gap, and
 * disorder a step back.
 */
@Tag("any-database")
class MigrationIT {
  private static final Path PAGE = Path.of("../docs/migration.md");
  private static final int WRITERS = 3;
  private static final int ORDERS = 12;

  /** Changes between two steps of a path. */
  private static final int SOME = 150;

  private static final AtomicInteger TOPICS = new AtomicInteger();

  private final DevStack stack = SharedStack.get();
  private final String topic = "migration-" + TOPICS.incrementAndGet();
  private final AtomicBoolean isOver = new AtomicBoolean();
  private final AtomicInteger changes = new AtomicInteger();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Future<?>> running = new ArrayList<>();
  private final List<String> page = sqlOfThePage();
  private Stand stand;
  private KafkaProducer<String, String> producer;

  MigrationIT() throws IOException {}

  @BeforeEach
  void lay() throws SQLException {
    stack.kafka().createTopic(topic, 1, Map.of());
    stand = new Stand(stack);
    stand.sql(
        "create table orders (id integer primary key, revision bigint not null)",
        "insert into orders select n, 0 from generate_series(1, %d) n".formatted(ORDERS));
    stand.start(Map.of());
    producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", stack.kafka().bootstrapServers(), "acks", "all"),
            new StringSerializer(),
            new StringSerializer());
  }

  @AfterEach
  void end() throws Exception {
    isOver.set(true);
    threads.shutdown();
    assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    producer.close();
    stand.close();
  }

  @Test
  void from_publishing_directly_and_back_nothing_is_lost_and_each_order_stays_in_order()
      throws Exception {
    stand.sql(statement("create table telling"));
    startWriters(this::changeAndTell);
    awaitMoreChanges();

    turn("outbox", producer::flush);
    awaitMoreChanges();
    assertThat(stand.number("select count(*) from millrace.outbox")).isGreaterThanOrEqualTo(SOME);

    turn("direct", this::awaitAllPublished);
    long appended = stand.number("select count(*) from millrace.outbox");
    awaitMoreChanges();
    assertThat(stand.number("select count(*) from millrace.outbox")).isEqualTo(appended);

    assertEveryChangeArrivedInOrder();
  }

  @Test
  void from_an_outbox_table_and_back_nothing_is_lost_and_each_order_stays_in_order()
      throws Exception {
    stand.sql(statement("create table old_outbox"), statement("create function hand_over"));
    AtomicBoolean isRelaying = new AtomicBoolean(true);
    Future<?> relay = threads.submit(() -> relayUntil(isRelaying));
    startWriters(this::changeAndInsert);
    awaitMoreChanges();

    isRelaying.set(false);
    relay.get(30, TimeUnit.SECONDS);
    // So that some are left over.
    awaitMoreChanges();
    stand.sql(statement("begin;\nlock table old_outbox in share row exclusive mode;\nselect"));
    awaitMoreChanges();
    assertThat(stand.number("select count(*) from old_outbox where published_at is null")).isZero();

    try (Connection connection = stand.connect()) {
      Stand.sql(
          connection, statement("begin;\nlock table old_outbox in share row exclusive mode;\n$"));
      awaitAllPublished();
      Stand.sql(connection, statement("drop trigger hand_over"));
    }
    isRelaying.set(true);
    running.add(threads.submit(() -> relayUntil(isRelaying)));
    awaitMoreChanges();
    stopWriters();
    Awaitility.await()
        .atMost(Stand.LIMIT)
        .until(
            () -> stand.number("select count(*) from old_outbox where published_at is null") == 0);
    isRelaying.set(false);

    assertEveryChangeArrivedInOrder();
  }

  @Test
  void a_backfill_beside_writers_tells_every_row_and_no_snapshot_is_out_of_order()
      throws Exception {
    stand.sql(
        statement("create table telling"),
        "update telling set way = 'outbox'",
        "insert into orders select n, 0 from generate_series(%d, 900) n".formatted(ORDERS + 1));
    startWriters(this::changeAndTell);
    awaitMoreChanges();

    String[] statements =
        statement("select millrace.start_backfill")
            .replace("shop.orders", "public.orders")
            .replace("'orders', 'order'", "'" + topic + "', 'order'")
            .replace("pause_ms => 100", "pause_ms => 1")
            .replace("rows_max => 500", "rows_max => 50")
            .split(";\n");
    stand.sql(statements);
    awaitMoreChanges();
    stopWriters();

    List<ConsumerRecord<byte[], byte[]>> records = allRecords();
    Map<String, Long> last = new TreeMap<>();
    int snapshots = 0;
    for (ConsumerRecord<byte[], byte[]> record : records) {
      String order = Arrivals.text(record.key());
      long revision = Long.parseLong(Arrivals.headers(record, "millrace_revision").get(0));
      boolean isSnapshot = Arrivals.headers(record, "ce_type").get(0).equals("order.snapshot");
      long before = last.getOrDefault(order, 0L);
      assertThat(revision).as("order " + order).isEqualTo(isSnapshot ? before : before + 1);
      last.put(order, revision);
      snapshots += isSnapshot ? 1 : 0;
    }
    assertThat(snapshots).isEqualTo(900);
    assertThat(stand.text("select state || rows_done from public.millrace_backfill_orders"))
        .isEqualTo("done900");
  }

  // ---- the application

  private interface Change {
    void make(Connection connection, int order) throws Exception;
  }

  private void startWriters(Change change) {
    for (int i = 0; i < WRITERS; i++) {
      int writer = i;
      running.add(threads.submit(() -> writeUntilOver(change, writer)));
    }
  }

  private Void writeUntilOver(Change change, int writer) throws Exception {
    try (Connection connection = stand.connect()) {
      connection.setAutoCommit(false);
      for (int i = writer; !isOver.get(); i++) {
        change.make(connection, 1 + i * 7 % ORDERS);
        changes.incrementAndGet();
      }
    }
    return null;
  }

  private void stopWriters() throws Exception {
    isOver.set(true);
    for (Future<?> writer : running.subList(0, WRITERS)) {
      writer.get(30, TimeUnit.SECONDS);
    }
  }

  /** Fails at once when a writer has failed. */
  private void awaitMoreChanges() throws Exception {
    int enough = changes.get() + SOME;
    Awaitility.await()
        .atMost(Stand.LIMIT)
        .until(() -> changes.get() >= enough || running.stream().anyMatch(Future::isDone));
    for (Future<?> task : running) {
      if (task.isDone()) {
        task.get();
      }
    }
  }

  /**
   * Either way. Publishing directly, an application keeps an order's messages in order by itself:
   * here by sending before the commit, which only a test may do.
   */
  private void changeAndTell(Connection connection, int order) throws SQLException {
    boolean isDirect = text(connection, "select way from telling for share").equals("direct");
    long revision = changed(connection, order);
    if (isDirect) {
      producer.send(new ProducerRecord<>(topic, Integer.toString(order), Long.toString(revision)));
    } else {
      text(
          connection,
          "select id from millrace.append('%s', 'order', '%d', 'order.changed', convert_to('%d', 'UTF8'), revision => %d)"
              .formatted(topic, order, revision, revision));
    }
    connection.commit();
  }

  private void changeAndInsert(Connection connection, int order) throws SQLException {
    long revision = changed(connection, order);
    text(
        connection,
        "insert into old_outbox (topic, key, event, payload) values ('%s', '%d', 'changed', '%d') returning id"
            .formatted(topic, order, revision));
    connection.commit();
  }

  private static long changed(Connection connection, int order) throws SQLException {
    return Long.parseLong(
        text(
            connection,
            "update orders set revision = revision + 1 where id = %d returning revision"
                .formatted(order)));
  }

  /** The relay of old: publishes and marks, in the order of the ids that it sees. */
  private Void relayUntil(AtomicBoolean isRelaying) throws Exception {
    try (Connection connection = stand.connect()) {
      while (isRelaying.get()) {
        try (PreparedStatement open =
                connection.prepareStatement(
                    "select id, key, payload from old_outbox where published_at is null"
                        + " order by id limit 20");
            ResultSet rows = open.executeQuery()) {
          while (rows.next()) {
            producer.send(new ProducerRecord<>(topic, rows.getString(2), rows.getString(3))).get();
            Stand.sql(
                connection,
                "update old_outbox set published_at = clock_timestamp() where id = "
                    + rows.getLong(1));
          }
        }
      }
    }
    return null;
  }

  // ---- the operator

  private interface Wait {
    void now() throws Exception;
  }

  /** As the page says: the update, then the wait, then the commit. */
  private void turn(String way, Wait wait) throws Exception {
    try (Connection connection = stand.connect()) {
      connection.setAutoCommit(false);
      Stand.sql(connection, "update telling set way = '" + way + "'");
      wait.now();
      connection.commit();
    }
  }

  private void awaitAllPublished() {
    Awaitility.await()
        .atMost(Stand.LIMIT)
        .until(() -> stand.number(statement("select count(*) from millrace.message")) == 0);
  }

  // ---- what has arrived

  private void assertEveryChangeArrivedInOrder() throws Exception {
    if (!isOver.get()) {
      stopWriters();
    }
    Map<String, Long> last = new TreeMap<>();
    for (ConsumerRecord<byte[], byte[]> record : allRecords()) {
      long revision = Long.parseLong(Arrivals.text(record.value()));
      String order = Arrivals.text(record.key());
      assertThat(revision).as("order " + order).isEqualTo(last.getOrDefault(order, 0L) + 1);
      last.put(order, revision);
    }
    assertThat(last.toString())
        .isEqualTo(
            stand.text(
                "select '{' || string_agg(id || '=' || revision, ', ' order by id::text collate \"C\") || '}'"
                    + " from orders"));
  }

  private List<ConsumerRecord<byte[], byte[]>> allRecords() throws SQLException {
    producer.flush();
    awaitAllPublished();
    long told = stand.number("select sum(revision) from orders");
    try (Arrivals arrivals = new Arrivals(stack.kafka().bootstrapServers(), topic)) {
      return arrivals.await((int) told + snapshotsTold());
    }
  }

  private int snapshotsTold() throws SQLException {
    return (int)
        stand.number("select count(*) from millrace.outbox where event_type = 'order.snapshot'");
  }

  private static String text(Connection connection, String sql) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql);
        ResultSet rows = statement.executeQuery()) {
      rows.next();
      return rows.getString(1);
    }
  }

  // ---- the page

  private static List<String> sqlOfThePage() throws IOException {
    List<String> blocks = new ArrayList<>();
    Matcher matcher =
        Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(PAGE));
    while (matcher.find()) {
      blocks.add(matcher.group(1));
    }
    return blocks;
  }

  /** The page's block that begins so; with a $ at the end, the one that is so. */
  private String statement(String beginning) {
    boolean isWhole = beginning.endsWith("$");
    String begin = isWhole ? beginning.substring(0, beginning.length() - 1) : beginning;
    return page.stream()
        .filter(block -> isWhole ? block.equals(begin) : block.startsWith(begin))
        .findFirst()
        .orElseThrow(() -> new AssertionError("the page has no block that begins: " + beginning));
  }
}
