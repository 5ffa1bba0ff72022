package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.client.InboxConsumer;
import io.millrace.client.InboxContext;
import io.millrace.core.message.MessageRules;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import io.millrace.core.message.PayloadCodec;
import io.millrace.devstack.DevStack;
import io.millrace.jdbc.JdbcOutbox;
import io.millrace.payload.avro.AvroCodec;
import io.millrace.payload.json.JsonCodec;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Tuple;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Values from an application's outbox through Kafka to a consumer's handler. */
@Tag("any-database")
class PayloadCodecIT {
  private static final DevStack stack = SharedStack.get();
  private static final AtomicInteger TOPICS = new AtomicInteger();
  private static final Schema BOOKING =
      SchemaBuilder.record("Booking")
          .namespace("io.millrace.launcher")
          .fields()
          .requiredString("account")
          .requiredLong("cents")
          .endRecord();

  private static final AvroCodec<GenericRecord> AVRO = AvroCodec.of(BOOKING);

  record Booking(String account, long cents) {}

  private final String topic = "payloads-" + TOPICS.incrementAndGet();

  @Test
  void what_was_written_in_json_is_what_the_handler_reads() throws Exception {
    sendAndCompare(JsonCodec.of(Booking.class), new Booking("a\u0000\u00e9", Long.MAX_VALUE));
  }

  @Test
  void what_was_written_in_single_objects_of_avro_is_what_the_handler_reads() throws Exception {
    sendAndCompare(AVRO, avro("a\u0000\u00e9", Long.MAX_VALUE));
  }

  @Test
  void what_was_written_by_a_registered_schema_is_what_the_handler_reads() throws Exception {
    sendAndCompare(AVRO.registered(7, number -> null), avro("", -1));
  }

  private <T> void sendAndCompare(PayloadCodec<T> codec, T value) throws Exception {
    try (Stand stand = new Stand(stack)) {
      stack.kafka().createTopic(topic, 1, Map.of());
      stand.sql("create table booked (n bigserial, value bytea)");
      stand.start(
          Map.of("inbox.retention_check", "warn"),
          builder ->
              builder.withConsumer(
                  InboxConsumer.of(
                      "booking",
                      List.of(topic),
                      (message, context) -> book(context, message.value(codec)))));
      NewMessage empty = NewMessage.of(topic, "account", "a", "booked", null);
      append(
          stand,
          empty.withValue(codec, value),
          empty.withValue(codec, value).withContentType("text/csv"),
          NewMessage.of(topic, "account", "a", "booked", Payload.of("{\"cents\":"))
              .withContentType(codec.contentType()),
          empty.withValue(codec, value).withContentType(codec.contentType() + "; v=2"),
          empty);
      await().atMost(Stand.LIMIT).until(() -> stand.number("select count(*) from booked") == 3);

      assertThat(
              stand.text(
                  "select string_agg(coalesce(encode(value, 'hex'), '-'), ' ' order by n) from booked"))
          .isEqualTo(hex(value) + " " + hex(value) + " -");
      assertThat(
              stand.text(
                  "select string_agg(reason || ' ' || error, '|' order by record_offset)"
                      + " from millrace.inbox_parked"))
          .matches(
              "refused .*content-type must be "
                  + codec.contentType()
                  + ", found text/csv.*\\|refused .*payload must be.*");
    }
  }

  private static <T> Future<Void> book(InboxContext context, Optional<T> value) {
    return context
        .connection()
        .preparedQuery("insert into booked (value) values ($1)")
        .execute(Tuple.of(value.map(present -> Buffer.buffer(present.toString())).orElse(null)))
        .mapEmpty();
  }

  private static String hex(Object value) {
    return HexFormat.of().formatHex(value.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static void append(Stand stand, NewMessage... messages) throws SQLException {
    try (Connection connection = stand.connect()) {
      connection.setAutoCommit(false);
      new JdbcOutbox(new MessageRules(1_000_000)).append(connection, messages);
      connection.commit();
    }
  }

  private static GenericRecord avro(String account, long cents) {
    return new GenericRecordBuilder(BOOKING).set("account", account).set("cents", cents).build();
  }
}
