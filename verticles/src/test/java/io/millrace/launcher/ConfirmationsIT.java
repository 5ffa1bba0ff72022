package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.client.Addresses;
import io.millrace.client.CommandClient;
import io.millrace.client.CommandDone;
import io.millrace.client.CommandType;
import io.millrace.client.Confirmations;
import io.millrace.client.InboxConsumer;
import io.millrace.client.JsonForm;
import io.millrace.client.Notice;
import io.millrace.client.Notices;
import io.millrace.client.RetryPolicy;
import io.millrace.core.message.Appended;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import io.millrace.devstack.DevStack;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A caller in the process, from a typed command to the effect of its message at a consumer. */
class ConfirmationsIT {
  private static final String TOPIC = "confirmed";
  private static final String CONSUMER = "confirmer";
  private static final long WAIT_MS = Stand.LIMIT.toMillis();

  private static final CommandType<String, String> PLACE =
      new CommandType<>(
          "place",
          JsonForm.of(
              order -> new JsonObject().put("order", order),
              json -> {
                if (!(json.getValue("order") instanceof String order) || order.isEmpty()) {
                  throw new IllegalArgumentException("order must be a text");
                }
                return order;
              }),
          JsonForm.of(text -> new JsonObject().put("said", text), json -> json.getString("said")));

  private static final DevStack stack = SharedStack.get();
  private static Stand stand;
  private static Stand.Node node;

  @BeforeAll
  static void start() {
    stack.kafka().createTopic(TOPIC, 1, Map.of());
    stand = new Stand(stack);
    node =
        stand.start(
            Map.of("inbox.retention_check", "warn"),
            builder ->
                builder
                    .withCommand(
                        PLACE.handledBy(
                            (order, context) ->
                                context.append(placed(order)).map("placed " + order)))
                    .withConsumer(
                        InboxConsumer.of(
                            CONSUMER,
                            List.of(TOPIC),
                            (message, context) -> Future.succeededFuture())));
  }

  private static NewMessage placed(String order) {
    return NewMessage.of(TOPIC, "order", order, "placed", Payload.of("{}"));
  }

  @AfterAll
  static void end() {
    stand.close();
  }

  private static CommandDone<String> place(String order) {
    return Stand.await(
        node.millrace()
            .commands()
            .withRetries(RetryPolicy.standard())
            .send(PLACE, CommandClient.newCommandId(), order));
  }

  @Test
  void a_command_of_a_type_is_followed_to_its_effect() {
    CommandDone<String> done = place("o-1");
    assertThat(done.answer()).isEqualTo("placed o-1");
    Appended message = done.messages().get(0);

    Confirmations confirmations = confirmations();
    Stand.await(confirmations.awaitPublished(message.messageId(), TOPIC, WAIT_MS));
    Stand.await(confirmations.awaitApplied(message.messageId(), CONSUMER, WAIT_MS));
    // Long after the notices: the database knows.
    Stand.await(confirmations.awaitPublished(message.messageId(), TOPIC, WAIT_MS));
    Stand.await(confirmations.awaitApplied(message.messageId(), CONSUMER, WAIT_MS));
  }

  private static Confirmations confirmations() {
    return new Confirmations(node.vertx(), node.millrace().pool());
  }

  @Test
  void who_listens_is_told_what_is_published_and_what_is_applied() {
    List<Notice.Message> published = new CopyOnWriteArrayList<>();
    List<Notice.Message> applied = new CopyOnWriteArrayList<>();
    Notices notices = new Notices(node.vertx());
    try (Notices.Subscription topic =
            notices.published(TOPIC, notice -> published.addAll(notice.messages()));
        Notices.Subscription consumer =
            notices.applied(CONSUMER, notice -> applied.addAll(notice.messages()))) {
      await("a notice of each, %s and %s".formatted(topic, consumer))
          .atMost(Stand.LIMIT)
          .until(
              () -> {
                // The first ones may come before anybody has heard that somebody listens.
                UUID id = place("o-told").messages().get(0).messageId();
                Stand.await(confirmations().awaitApplied(id, CONSUMER, WAIT_MS));
                Notice.Message told = new Notice.Message(id, "order", "o-told");
                return published.contains(told) && applied.contains(told);
              });
    }
  }

  @Test
  void what_has_not_happened_in_time_is_named_with_its_state() throws Exception {
    stand.sql(
        "create table if not exists kept (id uuid)",
        "begin",
        "insert into kept select message from millrace.append('elsewhere', 'order', 'o-2', 'placed', null)",
        "commit");
    UUID waiting = UUID.fromString(stand.text("select id from kept"));
    assertThatThrownBy(() -> Stand.await(confirmations().awaitApplied(waiting, CONSUMER, 700)))
        .hasStackTraceContaining("its state is not found");
    UUID nobody = CommandClient.newCommandId();
    assertThatThrownBy(() -> Stand.await(confirmations().awaitPublished(nobody, TOPIC, 700)))
        .hasStackTraceContaining("message " + nobody + " published: not seen in time");
  }

  @Test
  void a_request_that_cannot_be_read_is_refused_before_anything_is_done() {
    assertThatThrownBy(() -> place(""))
        .hasStackTraceContaining("arguments of place cannot be read: order must be a text");
  }

  @Test
  void an_address_says_what_is_told_there() {
    assertThat(Addresses.published(TOPIC)).isEqualTo("millrace.published.confirmed");
    assertThat(Addresses.applied(CONSUMER)).isEqualTo("millrace.applied.confirmer");
  }
}
