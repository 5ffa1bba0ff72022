package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.client.Command;
import io.millrace.client.CommandClient;
import io.millrace.client.CommandContext;
import io.millrace.client.CommandResult;
import io.millrace.client.InboxConsumer;
import io.millrace.client.InboxContext;
import io.millrace.client.InboxMessage;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import io.millrace.devstack.DevStack;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.core.spi.tracing.TagExtractor;
import io.vertx.core.spi.tracing.VertxTracer;
import io.vertx.core.tracing.TracingPolicy;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A trace goes with a message from who caused it to what it causes. */
@Tag("any-database")
class TracingIT {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN = "b7ad6b7169203331";
  private static final String PARENT = "00-" + TRACE + "-" + SPAN + "-01";

  private static final DevStack stack = SharedStack.get();

  private final Spans spans = new Spans();
  private Stand stand;
  private String topic;

  @BeforeEach
  void prepare() throws Exception {
    stand = new Stand(stack);
    topic = "traced-" + System.nanoTime();
    stack.kafka().createTopic(topic, 1, Map.of("max.message.bytes", "2000"));
    stand.sql(
        "create table placed (id text primary key)",
        "create table booked (n bigserial, message_id uuid, step integer)");
  }

  @AfterEach
  void end() {
    stand.close();
    spans.close();
  }

  private Stand.Node start(Vertx vertx, Map<String, ?> own, InboxConsumer... consumers) {
    Map<String, Object> values = new HashMap<>();
    values.put("inbox.retention_check", "warn");
    values.put("inbox.retry_delay_min_ms", 20);
    values.put("inbox.retry_delay_max_ms", 100);
    values.putAll(own);
    return stand.start(
        vertx,
        values,
        builder -> {
          builder.withCommand(new Place());
          Arrays.stream(consumers).forEach(builder::withConsumer);
          return builder;
        });
  }

  /** Inserts an order and announces it. */
  private final class Place implements Command {
    @Override
    public String name() {
      return "place";
    }

    @Override
    public Future<CommandResult> run(CommandContext context) {
      String id = context.arguments().getString("id");
      return context
          .connection()
          .preparedQuery("insert into placed values ($1)")
          .execute(Tuple.of(id))
          .compose(inserted -> context.append(message(id)))
          .map(appended -> new CommandResult(new JsonObject()));
    }
  }

  private NewMessage message(String order) {
    return NewMessage.of(topic, "order", order, "placed", Payload.of("{}"));
  }

  private InboxConsumer booking(String name) {
    return InboxConsumer.of(name, List.of(topic), TracingIT::book);
  }

  /** Two statements, the second in what follows the first. */
  private static Future<Void> book(InboxMessage message, InboxContext context) {
    return bookStep(message, context, 1).compose(first -> bookStep(message, context, 2));
  }

  private static Future<Void> bookStep(InboxMessage message, InboxContext context, int step) {
    return context
        .connection()
        .preparedQuery("insert into booked (message_id, step) values ($1, $2)")
        .execute(Tuple.of(message.messageId(), step))
        .mapEmpty();
  }

  private void awaitBooked(int rows) {
    await().atMost(Stand.LIMIT).until(() -> stand.number("select count(*) from booked") == rows);
  }

  private void appendBySql(String order, String... headers) throws Exception {
    stand.sql(
        "select millrace.append('%s', 'order', '%s', 'placed', convert_to('%s', 'UTF8'), headers => array['%s'])"
            .formatted(topic, order, order, String.join("','", headers)));
  }

  private List<ConsumerRecord<byte[], byte[]>> records(int count) {
    try (Arrivals arrivals = new Arrivals(stack.kafka().bootstrapServers(), topic)) {
      return arrivals.await(count);
    }
  }

  private static String parentOf(ConsumerRecord<byte[], byte[]> record) {
    return String.join(" and ", Arrivals.headers(record, "traceparent"));
  }

  private static String parent(SpanData span) {
    return "00-" + span.getTraceId() + "-" + span.getSpanId() + "-01";
  }

  /** The names from a span up to the first one. */
  private List<String> path(SpanData span) {
    List<String> names = new ArrayList<>();
    for (SpanData at = span; at.getParentSpanContext().isValid(); at = spans.parentOf(at)) {
      names.add(at.getKind() + " " + at.getName());
    }
    return names;
  }

  @Test
  void one_trace_leads_from_a_command_over_the_bus_to_what_a_consumer_writes() {
    Stand.Node node = start(spans.vertx(), Map.of(), booking("books"));
    spans.inTrace(
        node.vertx(),
        "caller",
        () ->
            node.millrace()
                .commands()
                .send("place", CommandClient.newCommandId(), new JsonObject().put("id", "o-1")));
    SpanData process = spans.one("process " + topic);

    assertThat(path(process))
        .containsExactly(
            "CONSUMER process " + topic,
            "PRODUCER send " + topic,
            "CONSUMER relay " + topic,
            "PRODUCER append " + topic,
            "SERVER send",
            "CLIENT send");
    assertThat(spans.queriesBelow(process))
        .hasSize(2)
        .allSatisfy(query -> assertThat(query).startsWith("insert into booked"));
    SpanData command =
        spans.named("send").stream().filter(s -> s.getKind() == SpanKind.SERVER).findFirst().get();
    assertThat(spans.queriesBelow(command))
        .contains("insert into placed values ($1)")
        .anySatisfy(query -> assertThat(query).contains("insert into millrace.outbox"))
        .anySatisfy(query -> assertThat(query).contains("release savepoint"))
        .anySatisfy(query -> assertThat(query).endsWith("commit\n"));
    assertThat(parentOf(records(1).get(0))).isEqualTo(parent(spans.one("send " + topic)));
  }

  @Test
  void nothing_but_the_message_is_in_its_trace() throws Exception {
    Stand.Node node = start(spans.vertx(), Map.of(), booking("books"));
    node.pages().awaitReady();
    assertThat(spans.all()).as("heartbeats, passes and probes").isEmpty();
    for (String order : List.of("o-1", "o-2")) {
      spans.inTrace(
          node.vertx(),
          "caller",
          () ->
              node.millrace()
                  .commands()
                  .send("place", CommandClient.newCommandId(), new JsonObject().put("id", order)));
    }
    awaitBooked(4);
    spans.await("process " + topic, 2);
    spans.forget();
    // What runs again and again goes round a few times, in nobody's trace.
    long later = stand.number("select max(counter) from millrace.node") + 3;
    await()
        .atMost(Stand.LIMIT)
        .until(() -> stand.number("select max(counter) from millrace.node") > later);

    assertThat(spans.all()).isEmpty();
  }

  @Test
  void a_message_appended_by_sql_goes_on_with_the_trace_in_its_header() throws Exception {
    start(spans.vertx(), Map.of(), booking("books"));
    appendBySql("o-1", "traceparent", PARENT, "kind", "a", "tracestate", "vendor=1");
    SpanData process = spans.one("process " + topic);
    SpanData relay = spans.one("relay " + topic);

    assertThat(relay.getTraceId()).isEqualTo(TRACE);
    assertThat(relay.getParentSpanId()).isEqualTo(SPAN);
    assertThat(spans.parentOf(process)).isEqualTo(spans.one("send " + topic));
    ConsumerRecord<byte[], byte[]> record = records(1).get(0);
    assertThat(parentOf(record)).isEqualTo(parent(spans.one("send " + topic)));
    assertThat(Arrivals.headers(record, "tracestate")).containsExactly("vendor=1");
    assertThat(Arrivals.headers(record, "kind")).containsExactly("a");
    assertThat(stand.text("select headers[2] from millrace.outbox")).isEqualTo(PARENT);
  }

  @Test
  void a_trace_that_the_sender_has_set_is_left_alone_by_an_append() {
    Stand.Node node = start(spans.vertx(), Map.of());
    spans.inTrace(
        node.vertx(),
        "caller",
        () ->
            node.millrace()
                .pool()
                .withTransaction(
                    connection ->
                        node.millrace()
                            .outbox()
                            .append(connection, message("o-1").withHeader("traceparent", PARENT)))
                .onSuccess(node.millrace().outbox()::nudge));

    assertThat(spans.one("relay " + topic).getParentSpanId()).isEqualTo(SPAN);
    assertThat(spans.named("publish")).as("a nudge is nobody's").isEmpty();
  }

  @Test
  void without_a_tracer_or_a_trace_nothing_is_added() throws Exception {
    Stand.Node plain = start(Vertx.vertx(), Map.of());
    Stand.await(
        plain
            .millrace()
            .pool()
            .withTransaction(
                connection -> plain.millrace().outbox().append(connection, message("o-1"))));
    appendBySql("o-2", "traceparent", PARENT);
    assertThat(records(2)).extracting(TracingIT::parentOf).containsExactlyInAnyOrder("", PARENT);
    plain.stop();
    Stand.Node traced = start(spans.vertx(), Map.of(), booking("books"));
    Stand.await(
        traced
            .millrace()
            .commands()
            .send("place", CommandClient.newCommandId(), new JsonObject().put("id", "o-3")));
    await().atMost(Stand.LIMIT).until(() -> records(3).size() == 3);

    assertThat(parentOf(records(3).get(2))).isEmpty();
    assertThat(spans.named("append " + topic)).isEmpty();
    assertThat(spans.named("relay " + topic)).isEmpty();
  }

  @Test
  void a_header_that_is_no_trace_goes_out_as_it_is() throws Exception {
    start(spans.vertx(), Map.of(), booking("books"));
    appendBySql("o-1", "traceparent", "00-garbage", "tracestate", "???");
    appendBySql("o-1", "traceparent", PARENT, "traceparent", PARENT);
    appendBySql("o-1", "traceparent", "");

    assertThat(records(3))
        .extracting(TracingIT::parentOf)
        .containsExactly("00-garbage", PARENT + " and " + PARENT, "");
    assertThat(Arrivals.headers(records(1).get(0), "tracestate")).containsExactly("???");
    awaitBooked(6);
    assertThat(spans.all()).isEmpty();
  }

  @Test
  void a_parked_message_keeps_its_trace_and_a_redrive_and_a_replay_go_on_with_it()
      throws Exception {
    start(spans.vertx(), Map.of());
    stand.sql(
        "select millrace.append('%s', 'order', 'o-1', 'placed', convert_to(repeat('x', 3000), 'UTF8'), headers => array['traceparent', '%s'])"
            .formatted(topic, PARENT));
    await()
        .atMost(Stand.LIMIT)
        .until(() -> stand.number("select count(*) from millrace.parked") == 1);
    assertThat(stand.text("select headers[2] from millrace.parked")).isEqualTo(PARENT);
    assertThat(spans.await("relay " + topic, 1))
        .allSatisfy(refused -> assertThat(refused.getEvents()).isNotEmpty());
    spans.forget();
    stack.kafka().alterTopic(topic, Map.of("max.message.bytes", "1000000"));
    stand.number("select millrace.redrive('ann', 'limit raised', p_topic => '" + topic + "')");
    ConsumerRecord<byte[], byte[]> redriven = records(1).get(0);
    assertThat(parentOf(redriven)).startsWith("00-" + TRACE).isNotEqualTo(PARENT);
    assertThat(spans.one("relay " + topic).getParentSpanId()).isEqualTo(SPAN);
    spans.forget();
    stand.number(
        "select millrace.start_replay('ann', 'lost', now() - interval '1 hour', p_topic => '"
            + topic
            + "')");

    ConsumerRecord<byte[], byte[]> replayed = records(2).get(1);
    assertThat(parentOf(replayed)).startsWith("00-" + TRACE).isNotEqualTo(parentOf(redriven));
    assertThat(spans.one("relay " + topic).getParentSpanId()).isEqualTo(SPAN);
  }

  @Test
  void a_repeat_that_was_applied_already_has_no_span() throws Exception {
    start(spans.vertx(), Map.of(), booking("books"));
    appendBySql("o-1", "traceparent", PARENT);
    awaitBooked(2);
    stand.number(
        "select millrace.start_replay('ann', 'lost', now() - interval '1 hour', p_topic => '"
            + topic
            + "')");
    assertThat(records(2)).hasSize(2);
    appendBySql("o-1", "traceparent", PARENT);
    awaitBooked(4);

    assertThat(spans.await("process " + topic, 2)).hasSize(2);
    assertThat(spans.named("send " + topic)).hasSize(3);
  }

  @Test
  void every_message_of_a_batch_has_a_span_and_what_the_batch_does_is_in_none() throws Exception {
    InboxConsumer batches =
        InboxConsumer.ofBatches(
            "batches",
            List.of(topic),
            (messages, context) -> bookStep(messages.get(0), context, messages.size()));
    start(Vertx.vertx(), Map.of("inbox.enabled", false));
    for (int i = 0; i < 3; i++) {
      appendBySql("o-1", "traceparent", "00-" + TRACE + "-b7ad6b716920333" + i + "-01");
    }
    assertThat(records(3)).hasSize(3);
    start(spans.vertx(), Map.of("relay.enabled", false), batches);
    List<SpanData> process = spans.await("process " + topic, 3);

    assertThat(stand.number("select max(step) from booked")).as("messages in a batch").isEqualTo(3);
    assertThat(process)
        .extracting(SpanData::getParentSpanId)
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, 3).mapToObj(i -> "b7ad6b716920333" + i).toList());
    assertThat(spans.named("Query")).isEmpty();
  }

  @Test
  void a_handler_that_fails_or_hangs_has_a_span_for_each_attempt_and_harms_no_other()
      throws Exception {
    List<String> attempts = new ArrayList<>();
    InboxConsumer failing =
        InboxConsumer.of(
            "failing",
            List.of(topic),
            (message, context) -> {
              attempts.add(message.payloadText());
              if (attempts.size() == 1) {
                throw new IllegalStateException("first attempt");
              }
              return attempts.size() == 2
                  ? Promise.<Void>promise().future()
                  : book(message, context);
            });
    start(spans.vertx(), Map.of("inbox.handler_timeout_ms", 500), failing);
    appendBySql("o-1", "traceparent", PARENT);
    awaitBooked(2);
    List<SpanData> process = spans.await("process " + topic, 3);

    assertThat(process).extracting(span -> span.getEvents().size()).containsExactly(1, 1, 0);
    assertThat(process)
        .extracting(SpanData::getParentSpanId)
        .containsOnly(spans.one("send " + topic).getSpanId());
    assertThat(spans.queriesBelow(process.get(2))).hasSize(2);
  }

  @Test
  void a_tracer_that_fails_costs_nothing_but_the_spans() throws Exception {
    start(
        Vertx.builder().withTracer(options -> new FailingTracer()).build(),
        Map.of(),
        booking("books"));
    appendBySql("o-1", "traceparent", PARENT);
    awaitBooked(2);

    assertThat(parentOf(records(1).get(0))).isEqualTo(PARENT);
  }

  /** Fails wherever messages are concerned; Vert.x's own calls must not fail. */
  private static final class FailingTracer implements VertxTracer<Object, Object> {
    @Override
    public <R> Object receiveRequest(
        Context context,
        io.vertx.core.spi.tracing.SpanKind kind,
        TracingPolicy policy,
        R request,
        String operation,
        Iterable<Map.Entry<String, String>> headers,
        TagExtractor<R> tags) {
      if (kind == io.vertx.core.spi.tracing.SpanKind.MESSAGING) {
        throw new IllegalStateException("this tracer fails");
      }
      return null;
    }
  }
}
