package io.millrace.inbox;

import static org.awaitility.Awaitility.await;

import io.millrace.client.InboxConsumer;
import io.millrace.client.InboxContext;
import io.millrace.client.InboxHandler;
import io.millrace.client.InboxMessage;
import io.millrace.core.message.HeaderName;
import io.millrace.core.message.Uuid7;
import io.millrace.devstack.DevStack;
import io.millrace.launcher.Stand;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A topic, somebody who writes to it, and a consumer's table that shows each effect: it has no
 * unique key, so an effect that was made twice is there twice.
 */
final class InboxCase implements AutoCloseable {
  static final String CONSUMER = "accounting";

  private static final AtomicInteger TOPICS = new AtomicInteger();

  final Stand stand;
  final String topic;
  private final DevStack stack;
  private final KafkaProducer<byte[], byte[]> producer;

  InboxCase(DevStack stack, int topicPartitions) throws SQLException {
    this(stack, topicPartitions, new Stand(stack));
  }

  InboxCase(DevStack stack, int topicPartitions, Stand stand) throws SQLException {
    this.stack = stack;
    this.stand = stand;
    this.topic = "inbox-" + TOPICS.incrementAndGet();
    stack.kafka().createTopic(topic, topicPartitions, Map.of());
    stand.sql(
        "create table applied (n bigserial, message_id uuid, key text, payload text, node text)");
    this.producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", stack.kafka().bootstrapServers(), "linger.ms", "2"),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  /** Quick to notice, and no relay beside it. */
  Map<String, Object> config(Map<String, ?> own) {
    Map<String, Object> values = new HashMap<>();
    values.put("relay.enabled", false);
    values.put("inbox.retention_check", "warn");
    values.put("inbox.retry_delay_min_ms", 20);
    values.put("inbox.retry_delay_max_ms", 200);
    values.put("inbox.topic_check_interval_ms", 500);
    values.put("inbox.properties.session.timeout.ms", 6_000);
    values.put("inbox.properties.heartbeat.interval.ms", 500);
    values.putAll(own);
    return values;
  }

  Stand.Node start(InboxConsumer consumer, Map<String, ?> own) {
    return stand.start(config(own), builder -> builder.withConsumer(consumer));
  }

  Stand.Node start(InboxConsumer consumer) {
    return start(consumer, Map.of());
  }

  InboxConsumer consumer(InboxHandler handler) {
    return InboxConsumer.of(CONSUMER, List.of(topic), handler);
  }

  /** What an honest handler does. */
  static Future<Void> apply(InboxMessage message, InboxContext context) {
    return context
        .connection()
        .preparedQuery("insert into applied (message_id, key, payload) values ($1, $2, $3)")
        .execute(Tuple.of(message.messageId(), message.keyText(), message.payloadText()))
        .mapEmpty();
  }

  static UUID newId() {
    return idAt(System.currentTimeMillis());
  }

  static UUID idAt(long ms) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return Uuid7.of(ms, random.nextLong(), random.nextLong());
  }

  /** Writes a message of a new id, and waits for the broker. */
  UUID send(String key, String payload) {
    UUID id = newId();
    send(id, key, payload);
    return id;
  }

  void send(UUID id, String key, String payload) {
    ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, bytes(key), bytes(payload));
    record.headers().add(HeaderName.ID, bytes(id.toString()));
    send(record);
  }

  void send(ProducerRecord<byte[], byte[]> record) {
    try {
      producer.send(record).get();
    } catch (Exception e) {
      throw new AssertionError("not written: " + record, e);
    }
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** The payloads of all effects, in the order in which they were made. */
  List<String> applied() {
    return column("select payload from applied order by n");
  }

  List<String> column(String query) {
    try (Connection connection = stand.connect();
        Statement statement = connection.createStatement();
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

  void awaitApplied(int count) {
    await(count + " effects")
        .atMost(Stand.LIMIT)
        .pollInterval(Duration.ofMillis(50))
        .until(() -> applied().size(), size -> size >= count);
  }

  void awaitParked(int count) {
    await(count + " parked messages")
        .atMost(Stand.LIMIT)
        .pollInterval(Duration.ofMillis(50))
        .until(() -> column("select reason from millrace.inbox_parked").size() >= count);
  }

  /** The offset below which everything is done, summed over the stripes and topic partitions. */
  long position() throws SQLException {
    return stand.number(
        "select coalesce(sum(p.to_offset), -1) from (select distinct on (topic_id, topic_partition, stripe) to_offset"
            + " from millrace.progress order by topic_id, topic_partition, stripe, counter desc) p");
  }

  void awaitPosition(long offset) {
    await("position " + offset)
        .atMost(Stand.LIMIT)
        .pollInterval(Duration.ofMillis(50))
        .until(() -> position() == offset);
  }

  DevStack stack() {
    return stack;
  }

  @Override
  public void close() {
    producer.close();
    stand.close();
  }
}
