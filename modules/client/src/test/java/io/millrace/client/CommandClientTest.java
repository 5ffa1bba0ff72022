package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.CommandFailure.Kind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a caller is told, and how often a writer is asked; the writer is played on the bus. */
class CommandClientTest {
  private static final RetryPolicy QUICK = new RetryPolicy(3, 1, 5);

  /** Long enough for a reply in one process, and waited for only where none comes. */
  private static final long TIMEOUT_MS = 300;

  private final Vertx vertx = Vertx.vertx();
  private final UUID id = CommandClient.newCommandId();
  private final List<JsonObject> asked = new CopyOnWriteArrayList<>();
  private final CommandClient client = new CommandClient(vertx, TIMEOUT_MS).withRetries(QUICK);

  record Payment(String account, long cents) {
    static final JsonForm<Payment> FORM =
        JsonForm.of(
            payment ->
                new JsonObject().put("account", payment.account()).put("cents", payment.cents()),
            json -> new Payment(json.getString("account"), json.getLong("cents")));
  }

  private static final CommandType<Payment, Long> PAY =
      new CommandType<>(
          "pay",
          Payment.FORM,
          JsonForm.of(
              balance -> new JsonObject().put("balance", balance),
              json -> json.getLong("balance").longValue()));

  @AfterEach
  void close() {
    await(vertx.close());
  }

  /** Answers the first requests one by one, the last way for all that follow. */
  private MessageConsumer<JsonObject> writer(List<Consumer<Message<JsonObject>>> ways) {
    return vertx
        .eventBus()
        .<JsonObject>consumer(
            Addresses.COMMAND,
            message -> {
              asked.add(message.body());
              ways.get(Math.min(asked.size(), ways.size()) - 1).accept(message);
            });
  }

  private static void silence(Message<JsonObject> message) {}

  private static Consumer<Message<JsonObject>> fails(Kind kind) {
    return message -> message.fail(kind.failureCode(), "played");
  }

  private static Consumer<Message<JsonObject>> done(JsonObject body, boolean repeated) {
    return message ->
        message.reply(
            CommandReply.toJson(new CommandAnswer.Done(List.of(), List.of(), body), repeated));
  }

  private CommandFailure failure() {
    return catchThrowableOfType(
        CommandFailure.class, () -> await(client.send("pay", id, new JsonObject())));
  }

  @Test
  void a_command_is_sent_again_with_its_id_until_it_is_answered() {
    writer(
        List.of(
            CommandClientTest::silence,
            fails(Kind.UNAVAILABLE),
            done(new JsonObject().put("balance", 7), true)));

    CommandDone<Long> done = await(client.send(PAY, id, new Payment("a", 5)));

    assertThat(done.answer()).isEqualTo(7);
    assertThat(done.repeated()).isTrue();
    JsonObject arguments = new JsonObject().put("account", "a").put("cents", 5L);
    assertThat(asked).hasSize(3).containsOnly(new CommandRequest("pay", id, arguments).toJson());
  }

  @Test
  void after_the_last_attempt_the_outcome_is_said_to_be_unknown() {
    writer(List.of(fails(Kind.UNAVAILABLE)));

    CommandFailure failure = failure();

    assertThat(failure.kind()).isEqualTo(Kind.UNAVAILABLE);
    assertThat(failure.mayBeRepeated()).isTrue();
    assertThat(failure).hasMessageContaining("after 3 attempts");
    assertThat(asked).hasSize(3);
  }

  @Test
  void where_nobody_listens_nothing_was_done() {
    CommandFailure failure = failure();

    assertThat(failure.kind()).isEqualTo(Kind.NO_WRITER);
    assertThat(failure.mayBeRepeated()).isTrue();
    assertThat(failure).hasMessageContaining("millrace.command").hasMessageContaining("3 attempts");
  }

  @Test
  void an_attempt_that_may_have_run_leaves_the_outcome_unknown_when_the_writer_goes_away() {
    var consumer = vertx.eventBus().<JsonObject>consumer(Addresses.COMMAND);
    consumer.handler(
        message -> {
          asked.add(message.body());
          consumer
              .unregister()
              .onComplete(gone -> message.fail(Kind.UNAVAILABLE.failureCode(), "going"));
        });

    CommandFailure failure = failure();

    assertThat(failure.kind()).isEqualTo(Kind.UNAVAILABLE);
    assertThat(failure).hasMessageContaining("no writer listens");
    assertThat(asked).hasSize(1);
  }

  @Test
  void a_no_of_another_writer_leaves_open_what_an_attempt_before_it_may_have_done() {
    for (Kind kind : List.of(Kind.INVALID, Kind.UNKNOWN_COMMAND, Kind.FAILED)) {
      asked.clear();
      MessageConsumer<JsonObject> played = writer(List.of(fails(Kind.UNAVAILABLE), fails(kind)));
      CommandFailure failure = failure();
      assertThat(failure.kind()).as("after %s", kind).isEqualTo(Kind.UNAVAILABLE);
      assertThat(failure).hasMessageContaining("after 2 attempts");
      assertThat(asked).hasSize(2);
      await(played.unregister());
    }
    asked.clear();
    writer(List.of(fails(Kind.UNAVAILABLE), fails(Kind.ID_REUSED)));
    assertThat(failure().kind()).as("which is about the id").isEqualTo(Kind.ID_REUSED);
  }

  @Test
  void what_is_an_answer_is_not_asked_for_again() {
    for (Kind kind : List.of(Kind.INVALID, Kind.UNKNOWN_COMMAND, Kind.ID_REUSED, Kind.FAILED)) {
      asked.clear();
      var played =
          vertx
              .eventBus()
              .<JsonObject>consumer(
                  Addresses.COMMAND,
                  message -> {
                    asked.add(message.body());
                    fails(kind).accept(message);
                  });
      assertThat(failure().kind()).isEqualTo(kind);
      assertThat(asked).as(kind.name()).hasSize(1);
      await(played.unregister());
    }
  }

  @Test
  void a_refusal_is_an_answer() {
    writer(
        List.of(
            message ->
                message.reply(
                    CommandReply.toJson(new CommandAnswer.Refusal("poor", "no money"), false))));

    assertThatThrownBy(() -> await(client.send(PAY, id, new Payment("a", 5))))
        .isInstanceOf(CommandRefused.class)
        .hasMessage("no money");
    assertThat(asked).hasSize(1);
  }

  @Test
  void an_answer_that_cannot_be_read_says_that_the_change_is_made() {
    writer(List.of(done(new JsonObject(), false)));

    assertThatThrownBy(() -> await(client.send(PAY, id, new Payment("a", 5))))
        .isInstanceOf(CommandFailure.class)
        .hasMessageStartingWith("command pay is done, but its answer cannot be read");
  }

  @Test
  void pauses_grow_and_are_bounded() {
    RetryPolicy policy = new RetryPolicy(100, 10, 1_000);
    for (int attempts = 1; attempts < 100; attempts++) {
      long full = Math.min(1_000, attempts > 10 ? 1_000 : 10L << (attempts - 1));
      assertThat(policy.delayMs(attempts)).isBetween(full / 2, full);
    }
    assertThatThrownBy(() -> new RetryPolicy(101, 1, 1)).hasMessageContaining("found 101");
    assertThatThrownBy(() -> new RetryPolicy(1, 5, 4)).hasMessageContaining("found 5 and 4");
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.toCompletionStage().toCompletableFuture().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }
}
