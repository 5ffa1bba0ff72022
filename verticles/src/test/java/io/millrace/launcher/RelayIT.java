package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.core.message.NewMessage;
import io.millrace.core.message.OutboxMessage;
import io.millrace.core.message.Payload;
import io.millrace.devstack.DevStack;
import io.millrace.port.Resolver;
import io.vertx.core.Future;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is appended arrives, on a real PostgreSQL and a real Kafka, by nodes in this process. */
class RelayIT {
  private static final DevStack stack = SharedStack.get();

  private Stand stand;
  private String topic;
  private Arrivals arrivals;

  @BeforeEach
  void prepare() {
    stand = new Stand(stack);
    topic = "relay-" + System.nanoTime();
    stack.kafka().createTopic(topic, 1, Map.of());
    arrivals = new Arrivals(stack.kafka().bootstrapServers(), topic);
  }

  @AfterEach
  void end() {
    arrivals.close();
    stand.close();
  }

  @Test
  void what_is_appended_by_sql_and_by_the_outbox_arrives_in_order_with_its_key_and_headers()
      throws Exception {
    Stand.Node node = stand.start(Map.of("kafka.source", "/orders"));
    String id =
        stand.text(
            "select message from millrace.append('"
                + topic
                + "', 'order', 'o-1', 'placed', 'first', 1, 'customer-7', '2',"
                + " 'text/plain', array['trace', 'a', 'trace', 'b'])");
    NewMessage second =
        NewMessage.of(topic, "order", "o-1", "paid", Payload.of("second")).withRevision(2);
    Stand.await(
        node.millrace()
            .pool()
            .withTransaction(
                connection ->
                    node.millrace().outbox().append(connection, second, second.withRevision(3)))
            .onSuccess(node.millrace().outbox()::nudge));

    List<ConsumerRecord<byte[], byte[]>> records = arrivals.await(3);

    assertThat(records).hasSize(3);
    ConsumerRecord<byte[], byte[]> first = records.get(0);
    assertThat(Arrivals.texts(records)).containsExactly("first", "second", "second");
    assertThat(Arrivals.text(first.key())).isEqualTo("customer-7");
    assertThat(Arrivals.text(records.get(1).key())).isEqualTo("o-1");
    assertThat(Arrivals.headers(first, "ce_specversion")).containsExactly("1.0");
    assertThat(Arrivals.headers(first, "ce_id")).containsExactly(id);
    assertThat(Arrivals.headers(first, "ce_source")).containsExactly("/orders");
    assertThat(Arrivals.headers(first, "ce_type")).containsExactly("placed");
    assertThat(Arrivals.headers(first, "ce_subject")).containsExactly("o-1");
    assertThat(Arrivals.headers(first, "content-type")).containsExactly("text/plain");
    assertThat(Arrivals.headers(first, "millrace_schema_version")).containsExactly("2");
    assertThat(Arrivals.headers(first, "trace")).containsExactly("a", "b");
    assertThat(records.stream().flatMap(r -> Arrivals.headers(r, "millrace_revision").stream()))
        .containsExactly("1", "2", "3");
  }

  @Test
  void a_tombstone_arrives_without_a_value() throws Exception {
    stand.start(Map.of());
    stand.sql("select * from millrace.append('" + topic + "', 'order', 'o-1', 'forgotten', null)");

    assertThat(arrivals.await(1).get(0).value()).isNull();
  }

  @Test
  void a_message_that_commits_after_later_ones_were_published_arrives_too() throws Exception {
    stand.start(Map.of());
    try (Connection late = stand.connect()) {
      late.setAutoCommit(false);
      Stand.sql(late, Stand.append(topic, "o-1", "drawn first"));
      stand.sql(Stand.append(topic, stand.orderOfShard(shardOf("o-1")), "drawn later"));
      assertThat(Arrivals.texts(arrivals.await(1))).containsExactly("drawn later");
      late.commit();
    }

    assertThat(Arrivals.texts(arrivals.await(2))).containsExactly("drawn later", "drawn first");
  }

  @Test
  void what_is_rolled_back_never_arrives() throws Exception {
    stand.start(Map.of());
    try (Connection undone = stand.connect()) {
      undone.setAutoCommit(false);
      Stand.sql(undone, Stand.append(topic, "o-1", "undone"));
      undone.rollback();
    }
    stand.sql(Stand.append(topic, "o-1", "done"));

    assertThat(Arrivals.texts(arrivals.await(1))).containsExactly("done");
  }

  @Test
  void shards_without_messages_record_that_they_are_up_to_date() throws Exception {
    stand.start(Map.of());
    stand.sql(Stand.append(topic, "o-1", "one"));
    arrivals.await(1);
    long id = stand.number("select max(id) from millrace.outbox");

    await()
        .atMost(Stand.LIMIT)
        .until(
            () ->
                stand.number(
                        "select count(distinct shard) from millrace.receipt where head >= " + id)
                    == Stand.SHARDS);
    assertThat(stand.number("select sum(message_count) from millrace.receipt")).isEqualTo(1);
  }

  @Test
  void a_clean_stop_hands_shards_over_without_a_duplicate() throws Exception {
    Stand.Node first = stand.start(Map.of());
    Stand.Node second = stand.start(Map.of());
    awaitShardsOf(second, Stand.SHARDS / 2);
    List<String> payloads = IntStream.range(0, 400).mapToObj(i -> "p" + i).toList();
    Thread stop = new Thread(first::stop, "stop-first-node");
    try (Connection connection = stand.connect()) {
      for (String payload : payloads) {
        Stand.sql(connection, Stand.append(topic, "o-" + number(payload) % 8, payload));
        if (payload.equals("p100")) {
          stop.start();
        }
      }
    }
    stop.join();

    List<String> arrived = new ArrayList<>(arrivals.awaitPayloads(payloads));

    assertThat(arrived).containsExactlyInAnyOrderElementsOf(payloads);
    for (int order = 0; order < 8; order++) {
      int mine = order;
      assertThat(arrived.stream().filter(p -> number(p) % 8 == mine))
          .isSortedAccordingTo((a, b) -> Integer.compare(number(a), number(b)));
    }
    awaitShardsOf(second, Stand.SHARDS);
  }

  private static int number(String payload) {
    return Integer.parseInt(payload.substring(1));
  }

  private void awaitShardsOf(Stand.Node node, int count) {
    await()
        .atMost(Stand.LIMIT)
        .until(
            () ->
                stand.number(
                        "select count(*) from millrace.shard s join millrace.node n on n.node = s.owner"
                            + " where n.name = '"
                            + node.name()
                            + "'")
                    == count);
  }

  @Test
  void a_resolver_fills_payloads_in_order_with_one_query_a_batch() throws Exception {
    CopyOnWriteArrayList<Integer> batches = new CopyOnWriteArrayList<>();
    Resolver resolver =
        new Resolver() {
          @Override
          public String name() {
            return "state";
          }

          @Override
          public Future<Resolved> resolve(List<OutboxMessage> messages) {
            batches.add(messages.size());
            return Future.succeededFuture(
                Resolved.of(
                    messages.stream().map(m -> m.resolved(stateOf(m), m.headers())).toList()));
          }
        };
    stand.sql(
        Stand.append(topic, "o-1", "before"),
        late("o-1", 1),
        late("o-1", 2),
        Stand.append(topic, "o-1", "after"));
    stand.start(Map.of(), builder -> builder.withResolver(resolver));

    assertThat(Arrivals.texts(arrivals.await(4)))
        .containsExactly("before", "state of o-1 at 1", "state of o-1 at 2", "after");
    assertThat(batches).containsExactly(2);
  }

  private static Payload stateOf(OutboxMessage message) {
    return Payload.of("state of " + message.aggregateId() + " at " + message.revision());
  }

  private String late(String order, int revision) {
    return "select * from millrace.append('%s', 'order', '%s', 'changed', null, %d, resolver => 'state')"
        .formatted(topic, order, revision);
  }

  private int shardOf(String order) throws Exception {
    return (int) stand.number("select millrace.shard_of('order', '" + order + "')");
  }
}
