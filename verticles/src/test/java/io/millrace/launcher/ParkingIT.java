package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.core.message.OutboxMessage;
import io.millrace.core.message.Payload;
import io.millrace.devstack.DevStack;
import io.millrace.port.Resolver;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A message that is refused for good is parked, with the later ones of its aggregate behind it in
 * order; everything else flows; an operator redrives or discards it.
 */
@Tag("any-database")
class ParkingIT {
  private static final int SHARD = 1;
  private static final String LARGE = "x".repeat(5_000);

  private static final DevStack stack = SharedStack.get();

  private Stand stand;
  private String topic;
  private String order;
  private String other;
  private AdminPages pages;

  @BeforeEach
  void prepare() throws Exception {
    stand = new Stand(stack);
    topic = "parking-" + System.nanoTime();
    stack.kafka().createTopic(topic, 1, Map.of("max.message.bytes", "2000"));
    List<String> orders = stand.ordersOfShard(SHARD, 2);
    order = orders.get(0);
    other = orders.get(1);
  }

  @AfterEach
  void end() {
    stand.close();
  }

  private void start(Map<String, ?> own) {
    pages = stand.start(own).pages();
    pages.awaitReady();
  }

  @Test
  void a_refused_message_is_parked_with_its_followers_and_goes_out_with_them_in_order()
      throws Exception {
    start(Map.of());
    try (Arrivals arrivals = arrivals()) {
      stand.sql(
          Stand.append(topic, order, "before"),
          Stand.append(topic, order, LARGE),
          Stand.append(topic, other, "other 1"));
      awaitParked(1);
      stand.sql(
          Stand.append(topic, order, "behind 1"),
          Stand.append(topic, other, "other 2"),
          Stand.append(topic, order, "behind 2"));
      awaitParked(3);
      assertThat(firsts(arrivals.awaitPayloads(List.of("before", "other 1", "other 2"))))
          .containsExactly("before", "other 1", "other 2");
      assertThat(text("select reason from millrace.parked where state = 'dead'"))
          .contains("max.message.bytes of topic " + topic + " is 2000");
      pages.awaitReady();
      assertThat(pages.shard(SHARD).getLong("parked")).isEqualTo(3);

      raiseLimit();
      assertThat(redrive("p_topic => '" + topic + "'")).isEqualTo(3);

      assertThat(firsts(arrivals.awaitPayloads(List.of("behind 2"))).stream().skip(3))
          .containsExactly(LARGE, "behind 1", "behind 2");
      awaitNothingBlocked();
      stand.sql(Stand.append(topic, order, "after"));
      assertThat(firsts(arrivals.awaitPayloads(List.of("after")))).endsWith("after");
    }
    assertThat(number("select count(*) from millrace.audit where act = 'redriven'")).isEqualTo(3);
  }

  @Test
  void a_redrive_of_the_first_one_alone_brings_its_followers_after_it() throws Exception {
    start(Map.of());
    stand.sql(
        Stand.append(topic, order, LARGE),
        Stand.append(topic, order, "behind 1"),
        Stand.append(topic, order, "behind 2"));
    awaitParked(3);
    assertThat(
            redrive(
                "p_message_ids => array(select message_id from millrace.parked where kind = 'behind')"))
        .isEqualTo(2);
    await()
        .atMost(Stand.LIMIT)
        .until(() -> number("select count(*) from millrace.blocked_key where due_at is null") == 1);
    awaitParked(3);

    raiseLimit();
    redrive(
        "p_message_ids => array(select message_id from millrace.parked where kind = 'message')");

    try (Arrivals arrivals = arrivals()) {
      assertThat(firsts(arrivals.awaitPayloads(List.of(LARGE, "behind 1", "behind 2"))))
          .containsExactly(LARGE, "behind 1", "behind 2");
    }
    awaitNothingBlocked();
  }

  @Test
  void a_redriven_message_that_is_refused_again_is_dead_again_and_nothing_overtakes_it()
      throws Exception {
    start(Map.of());
    stand.sql(Stand.append(topic, order, LARGE), Stand.append(topic, order, "behind"));
    awaitParked(2);
    redrive("p_aggregate_id => '" + order + "'");
    await()
        .atMost(Stand.LIMIT)
        .until(
            () -> number("select max(attempts) from millrace.parked where kind = 'message'") == 3);
    awaitParked(2);
    stand.sql(Stand.append(topic, order, "behind 2"), Stand.append(topic, other, "other"));
    awaitParked(3);
    try (Arrivals arrivals = arrivals()) {
      assertThat(firsts(arrivals.awaitPayloads(List.of("other")))).containsExactly("other");
    }
  }

  @Test
  void a_discarded_message_is_never_published_and_is_audited_and_its_followers_go_out()
      throws Exception {
    start(Map.of());
    stand.sql(Stand.append(topic, order, LARGE), Stand.append(topic, order, "behind"));
    awaitParked(2);
    String id = text("select message_id from millrace.parked where state = 'dead'");
    stand.sql(
        "select millrace.discard('ann', 'sent by hand', p_message_ids => array['%s'::uuid])"
            .formatted(id));
    try (Arrivals arrivals = arrivals()) {
      assertThat(firsts(arrivals.awaitPayloads(List.of("behind")))).containsExactly("behind");
    }
    awaitNothingBlocked();
    assertThat(
            text(
                "select actor || ', ' || reason || ', ' || (detail ->> 'messages') from millrace.audit"
                    + " where act = 'discard'"))
        .isEqualTo("ann, sent by hand, 1");
    assertThat(text("select detail ->> 'message_id' from millrace.audit where act = 'discarded'"))
        .isEqualTo(id);
  }

  @Test
  void what_an_operator_leaves_out_is_refused_by_name() {
    assertThatThrownBy(() -> stand.sql("select millrace.discard('ann', ' ', p_topic => 'x')"))
        .hasMessageContaining("discarding messages needs a reason");
    assertThatThrownBy(() -> stand.sql("select millrace.redrive('', p_topic => 'x')"))
        .hasMessageContaining("needs the name of who asks for it");
    assertThatThrownBy(() -> stand.sql("select millrace.redrive('ann')"))
        .hasMessageContaining("needs message ids, a topic, an aggregate or a time");
  }

  @Test
  void a_message_that_names_an_unknown_resolver_is_parked_with_the_reason() throws Exception {
    start(Map.of());
    stand.sql(
        "select millrace.append('%s', 'order', '%s', 'changed', null, resolver => 'nobody')"
            .formatted(topic, order),
        Stand.append(topic, order, "behind"),
        Stand.append(topic, other, "other"));
    awaitParked(2);
    assertThat(text("select reason from millrace.parked where state = 'dead'"))
        .isEqualTo("it names the resolver 'nobody', this node has []");
    try (Arrivals arrivals = arrivals()) {
      assertThat(firsts(arrivals.awaitPayloads(List.of("other")))).containsExactly("other");
    }
  }

  @Test
  void a_message_that_its_resolver_refuses_is_parked_and_goes_out_when_it_can_be_filled()
      throws Exception {
    AtomicBoolean isMended = new AtomicBoolean();
    Resolver resolver = refusing(order, isMended);
    pages = stand.start(Map.of(), builder -> builder.withResolver(resolver)).pages();
    stand.sql(late(other), late(order), Stand.append(topic, order, "behind"), late(other));
    awaitParked(2);
    assertThat(text("select reason from millrace.parked where state = 'dead'"))
        .isEqualTo("its state is torn");
    try (Arrivals arrivals = arrivals()) {
      assertThat(arrivals.awaitPayloads(List.of("of " + other, "of " + other)))
          .containsExactly("of " + other, "of " + other);
      redrive("p_topic => '" + topic + "'");
      await()
          .atMost(Stand.LIMIT)
          .until(
              () -> number("select max(attempts) from millrace.parked where kind = 'message'") > 0);
      awaitParked(2);
      isMended.set(true);
      redrive("p_topic => '" + topic + "'");
      assertThat(arrivals.awaitPayloads(List.of("behind"))).endsWith("of " + order, "behind");
    }
    awaitNothingBlocked();
  }

  private String late(String id) {
    return "select millrace.append('%s', 'order', '%s', 'changed', null, resolver => 'state')"
        .formatted(topic, id);
  }

  /** Fills all but the messages of one aggregate, and those, too, once it is mended. */
  private static Resolver refusing(String refused, AtomicBoolean isMended) {
    return new Resolver() {
      @Override
      public String name() {
        return "state";
      }

      @Override
      public Future<Resolved> resolve(List<OutboxMessage> messages) {
        List<OutboxMessage> filled = new ArrayList<>();
        Map<Long, String> hopeless = new HashMap<>();
        for (OutboxMessage m : messages) {
          if (m.aggregateId().equals(refused) && !isMended.get()) {
            hopeless.put(m.id(), "its state is torn");
          } else {
            filled.add(m.resolved(Payload.of("of " + m.aggregateId()), m.headers()));
          }
        }
        return Future.succeededFuture(new Resolved(filled, hopeless));
      }
    };
  }

  @Test
  void with_strict_key_order_no_follower_of_a_refused_message_is_on_its_way() throws Exception {
    stand.sql(
        "select millrace.append('%s', 'order', '%s', 'changed', convert_to(case n when 3 then '%s' else 'p' || n end, 'UTF8')) from generate_series(1, 60) n"
            .formatted(topic, order, LARGE));
    start(Map.of("relay.strict_key_order", true));
    awaitParked(58);
    try (Arrivals arrivals = arrivals()) {
      assertThat(firsts(arrivals.awaitPayloads(List.of("p1", "p2")))).containsExactly("p1", "p2");
    }
    assertThat(number("select sum(cardinality(overtaken)) from millrace.parked")).isZero();
  }

  @Test
  void parked_messages_hold_no_slot() throws Exception {
    start(
        Map.of(
            "maintenance.interval_ms",
            50,
            "maintenance.slot_age_max_ms",
            1_000,
            "maintenance.retention_ms",
            0));
    stand.sql(Stand.append(topic, order, LARGE), Stand.append(topic, order, "behind"));
    awaitParked(2);
    await()
        .atMost(Stand.LIMIT)
        .until(() -> number("select count(*) from millrace.outbox"), rows -> rows == 0);
    raiseLimit();
    redrive("p_parked_before => now()");
    try (Arrivals arrivals = arrivals()) {
      assertThat(firsts(arrivals.awaitPayloads(List.of(LARGE, "behind"))))
          .containsExactly(LARGE, "behind");
    }
  }

  private long redrive(String filter) throws Exception {
    return number("select millrace.redrive('ann', 'limit raised', " + filter + ")");
  }

  private void raiseLimit() {
    stack.kafka().alterTopic(topic, Map.of("max.message.bytes", "1000000"));
  }

  private void awaitParked(int count) {
    await("parked")
        .atMost(Stand.LIMIT)
        .until(() -> number("select count(*) from millrace.parked"), parked -> parked == count);
  }

  private void awaitNothingBlocked() {
    awaitParked(0);
    await()
        .atMost(Stand.LIMIT)
        .until(() -> number("select count(*) from millrace.blocked_key"), keys -> keys == 0);
  }

  private long number(String sql) throws Exception {
    return stand.number(sql);
  }

  private String text(String sql) throws Exception {
    return stand.text(sql);
  }

  /** First occurrences, in their order. */
  private static List<String> firsts(List<String> payloads) {
    return payloads.stream().distinct().toList();
  }

  private Arrivals arrivals() {
    return new Arrivals(stack.kafka().bootstrapServers(), topic);
  }
}
