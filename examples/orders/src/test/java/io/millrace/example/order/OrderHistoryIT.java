package io.millrace.example.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.core.config.MillraceConfig;
import io.millrace.core.message.HeaderName;
import io.millrace.devstack.DevStack;
import io.millrace.devstack.DevStackSpec;
import io.millrace.launcher.Millrace;
import io.millrace.postgres.SchemaMigration;
import io.millrace.testkit.Committed;
import io.millrace.testkit.Delivered;
import io.millrace.testkit.History;
import io.millrace.testkit.Invariant;
import io.millrace.testkit.NoDuplicates;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * How an application tests its own use of Millrace: a real PostgreSQL and a real Kafka, its own
 * transactions, and a history that is held against what must always be true. To copy.
 */
class OrderHistoryIT {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final String TOPIC = "order-history";
  private static final int TOPIC_PARTITIONS = 3;
  private static final int ORDERS = 40;

  /** One statement: the message exists only if the order was changed, and has its revision. */
  private static final String CHANGE =
      """
      with changed as (
        insert into shop.orders (order_id, account, amount_cents) values (?, 1, 1999)
        on conflict (order_id) do update set status = 'paid', revision = orders.revision + 1
        returning order_id, revision)
      select m.message, changed.revision
      from changed, millrace.append('%s', 'order', changed.order_id, 'order_changed', convert_to('{}', 'UTF8'),
        revision => changed.revision) m
      """
          .formatted(TOPIC);

  private static DevStack stack;
  private static Vertx vertx;
  private static Millrace millrace;

  /** Servers start in seconds and end with this process, however it ends. */
  @BeforeAll
  static void start() throws Exception {
    stack = DevStack.start(DevStackSpec.temporary());
    stack.kafka().createTopic(TOPIC, TOPIC_PARTITIONS, Map.of());
    MillraceConfig config =
        MillraceConfig.from(
            Map.of(
                "database.host", stack.postgres().host(),
                "database.port", stack.postgres().port(),
                "database.name", "postgres",
                "database.user", stack.postgres().user(),
                "database.ssl_mode", "disable",
                "kafka.bootstrap_servers", stack.kafka().bootstrapServers(),
                "admin.enabled", false));
    new SchemaMigration(
            new SchemaMigration.Login(
                stack.postgres().host(),
                stack.postgres().port(),
                "postgres",
                stack.postgres().user(),
                "",
                "disable"),
            SchemaMigration.Layout.of(config))
        .migrate();
    vertx = Vertx.vertx();
    millrace = done(Millrace.in(vertx, config).start());
    done(ShopTables.create(millrace.pool()));
  }

  @AfterAll
  static void end() throws Exception {
    done(millrace.stop());
    done(vertx.close());
    stack.close();
  }

  @Test
  void every_committed_change_of_an_order_arrives_in_its_order_and_no_other() throws Exception {
    History history = new History();
    List<Thread> tills = new ArrayList<>();
    for (int till = 0; till < 4; till++) {
      String prefix = "till-" + till + "-";
      tills.add(new Thread(() -> sell(prefix, history), prefix));
    }
    tills.forEach(Thread::start);
    for (Thread till : tills) {
      till.join();
    }
    assertThat(history.committed()).hasSizeGreaterThan(4 * ORDERS);
    read(history);
    Invariant.check(history, Invariant.always());
    // Nothing failed meanwhile, so nothing was repeated. After a crash repeats are allowed.
    Invariant.check(history, List.of(new NoDuplicates()));
  }

  @Test
  void a_message_that_is_missing_would_be_named() {
    History history = new History();
    UUID lost = UUID.randomUUID();
    history.committed(new Committed(lost, "order-1", 1));
    assertThatThrownBy(() -> Invariant.check(history, Invariant.always()))
        .isInstanceOf(AssertionError.class)
        .hasMessageContainingAll("NothingLost: 1 times", lost.toString(), "order-1");
  }

  /** Orders are placed and paid; every fifth one's payment is rolled back. */
  private static void sell(String prefix, History history) {
    try (Connection connection =
        DriverManager.getConnection(
            stack.postgres().jdbcUrl("postgres"), stack.postgres().user(), "")) {
      connection.setAutoCommit(false);
      for (int order = 0; order < ORDERS; order++) {
        Committed placed = change(connection, prefix + order);
        connection.commit();
        history.committed(placed);
        Committed paid = change(connection, prefix + order);
        if (order % 5 == 0) {
          connection.rollback();
        } else {
          connection.commit();
          history.committed(paid);
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Committed change(Connection connection, String order) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(CHANGE)) {
      statement.setString(1, order);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return new Committed(row.getObject(1, UUID.class), order, row.getLong(2));
      }
    }
  }

  /**
   * By one reader, so that each order's records keep their sequence. Reads until every committed
   * message is there and then what lies behind it: what should not be would be found, too.
   */
  private static void read(History history) {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", stack.kafka().bootstrapServers()),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> all = new ArrayList<>();
      for (int number = 0; number < TOPIC_PARTITIONS; number++) {
        all.add(new TopicPartition(TOPIC, number));
      }
      consumer.assign(all);
      consumer.seekToBeginning(all);
      await().atMost(LIMIT).until(() -> poll(consumer, history) >= history.committed().size());
      Map<TopicPartition, Long> ends = consumer.endOffsets(all);
      await()
          .atMost(LIMIT)
          .until(
              () -> {
                poll(consumer, history);
                return all.stream().allMatch(one -> consumer.position(one) >= ends.get(one));
              });
    }
  }

  private static int poll(KafkaConsumer<byte[], byte[]> consumer, History history) {
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
      history.delivered(
          new Delivered(
              UUID.fromString(header(record, HeaderName.ID)),
              record.topic(),
              new String(record.key(), StandardCharsets.UTF_8),
              Long.parseLong(header(record, HeaderName.REVISION)),
              record.topic() + "-" + record.partition() + "@" + record.offset()));
    }
    return history.distinctDelivered();
  }

  private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
    return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
  }

  private static <T> T done(Future<T> future) throws Exception {
    return future
        .toCompletionStage()
        .toCompletableFuture()
        .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }
}
