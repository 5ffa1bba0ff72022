package io.millrace.example.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.millrace.core.config.MillraceConfig;
import io.millrace.core.message.NewMessage;
import io.millrace.devstack.DevStack;
import io.millrace.devstack.DevStackSpec;
import io.millrace.jdbc.JdbcOutbox;
import io.millrace.launcher.Millrace;
import io.millrace.postgres.SchemaMigration;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;

/** The service on a pool of Spring's kind, Millrace beside it, real servers. */
class SpringIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static DevStack stack;
  private static AnnotationConfigApplicationContext context;
  private static Vertx vertx;
  private static Millrace millrace;
  private static KafkaConsumer<String, String> consumer;
  private static final List<ConsumerRecord<String, String>> ARRIVED = new ArrayList<>();

  private final OrderService orders = context.getBean(OrderService.class);
  private final AccountService accounts = context.getBean(AccountService.class);
  private final JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);

  @BeforeAll
  static void start() {
    stack = DevStack.start(DevStackSpec.temporary());
    stack.kafka().createTopic("orders", 1, Map.of());
    MillraceConfig config = MillraceConfig.from(settings());
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
    HikariDataSource pool = pool(stack.postgres().user());
    JdbcTemplate admin = new JdbcTemplate(pool);
    admin.execute(
        "create table orders (id text primary key, amount_cents bigint not null,"
            + " status text not null default 'open', revision bigint not null default 1)");
    admin.execute("create table account (balance_cents bigint not null)");
    admin.execute("create role service login in role millrace_writer, millrace_inbox");
    admin.execute("grant select, insert, update on orders, account to service");
    pool.close();
    context = new AnnotationConfigApplicationContext();
    context.registerBean(DataSource.class, () -> pool("service"));
    context.register(ServiceConfig.class);
    context.refresh();
    vertx = Vertx.vertx();
    millrace = await(Millrace.in(vertx, config).start());
    consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                stack.kafka().bootstrapServers(),
                "auto.offset.reset",
                "earliest"),
            new StringDeserializer(),
            new StringDeserializer());
    consumer.assign(List.of(new TopicPartition("orders", 0)));
  }

  @AfterAll
  static void stop() {
    consumer.close();
    await(millrace.stop());
    await(vertx.close());
    context.close();
    stack.close();
  }

  @Test
  void what_commits_is_published_in_order_and_what_rolls_back_is_not() {
    orders.place("a", 500);
    assertThatThrownBy(() -> orders.placeAll(List.of("b", "a"), 100))
        .isInstanceOf(DuplicateKeyException.class);
    assertThat(orders.pay("a", 1)).isTrue();
    assertThat(orders.pay("a", 1)).isFalse();

    assertThat(arrivals("a", 2))
        .extracting(r -> text(r, "ce_type") + " " + text(r, "millrace_revision"))
        .containsExactly("order_placed 1", "order_paid 2");
    assertThat(
            jdbc.queryForList(
                "select aggregate_id from millrace.outbox where aggregate_id = 'b'", String.class))
        .isEmpty();
    assertThat(
            jdbc.queryForList(
                "select id from orders where id <> 'booked' order by id", String.class))
        .containsExactly("a");
  }

  @Test
  void an_append_outside_of_a_transaction_is_refused() {
    JdbcOutbox outbox = context.getBean(JdbcOutbox.class);
    NewMessage message = NewMessage.of("orders", "order", "none", "order_placed", null);
    ConnectionCallback<Object> alone = connection -> outbox.append(connection, message);

    assertThatThrownBy(() -> jdbc.execute(alone))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("auto-commit");
  }

  @Test
  void a_message_that_comes_twice_is_booked_once() {
    jdbc.update("insert into account values (0)");
    orders.place("booked", 700);
    UUID id = UUID.fromString(text(arrivals("booked", 1).get(0), "ce_id"));

    assertThat(accounts.book(id, 700)).isTrue();
    assertThat(accounts.book(id, 700)).isFalse();

    assertThat(jdbc.queryForObject("select sum(balance_cents) from account", Long.class))
        .isEqualTo(700);
  }

  /** The order's records, when there are so many. */
  private static List<ConsumerRecord<String, String>> arrivals(String order, int count) {
    return Awaitility.await()
        .atMost(LIMIT)
        .pollInSameThread()
        .until(
            () -> {
              consumer.poll(Duration.ofMillis(100)).forEach(ARRIVED::add);
              return ARRIVED.stream().filter(r -> r.key().equals(order)).toList();
            },
            records -> records.size() >= count);
  }

  private static HikariDataSource pool(String user) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(stack.postgres().jdbcUrl("postgres"));
    config.setUsername(user);
    config.setMaximumPoolSize(4);
    return new HikariDataSource(config);
  }

  private static String text(ConsumerRecord<String, String> record, String header) {
    return new String(record.headers().lastHeader(header).value(), StandardCharsets.UTF_8);
  }

  private static Map<String, Object> settings() {
    Map<String, Object> settings = new HashMap<>();
    settings.put("database.host", stack.postgres().host());
    settings.put("database.port", stack.postgres().port());
    settings.put("database.name", "postgres");
    settings.put("database.user", stack.postgres().user());
    settings.put("database.ssl_mode", "disable");
    settings.put("kafka.bootstrap_servers", stack.kafka().bootstrapServers());
    settings.put("admin.port", 0);
    return settings;
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError("did not complete well", e);
    }
  }
}
