package io.millrace.writer;

import static io.millrace.writer.AppDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.CommandFailure.Kind;
import io.millrace.client.CommandRefused;
import io.millrace.client.CommandReply;
import io.millrace.core.message.Uuid7;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A command id runs once, and its answer is one. */
class CommandRepetitionIT extends WriterCase {

  @Test
  void a_repetition_gets_the_first_answer_and_changes_nothing() {
    deploy(Commands.place());
    CommandReply first = send("place");

    for (int i = 0; i < 3; i++) {
      CommandReply again = send("place");
      assertThat(again.repeated()).isTrue();
      assertThat(again.messages()).isEqualTo(first.messages());
      assertThat(again.revisions()).isEqualTo(first.revisions());
      assertThat(again.body()).isEqualTo(first.body());
    }
    assertThat(database.count("millrace.outbox")).isEqualTo(2);
    assertThat(database.count("millrace.command_answer")).isEqualTo(1);
  }

  @Test
  void the_order_of_keys_makes_no_other_arguments() {
    deploy(Commands.place());
    JsonObject inner = new JsonObject().put("a", 1).put("b", new JsonArray().add(2.5));
    JsonObject turned = new JsonObject().put("b", new JsonArray().add(2.5)).put("a", 1);

    await(client.send("place", id, new JsonObject().put("id", "1").put("x", inner)));

    assertThat(
            await(client.send("place", id, new JsonObject().put("x", turned).put("id", "1")))
                .repeated())
        .isTrue();
  }

  @Test
  void a_refusal_undoes_the_change_and_is_the_answer_from_then_on() {
    AtomicInteger runs = new AtomicInteger();
    deploy(counted(runs, Commands.refuse("sold_out")));

    for (int i = 0; i < 3; i++) {
      assertRefused(() -> send("refuse"), "sold_out", "no: {\"id\":\"1\"}");
    }

    assertThat(runs).hasValue(1);
    assertNothingWasDone();
    assertThat(database.count("millrace.command_answer where refused")).isEqualTo(1);
  }

  @Test
  void of_twenty_callers_at_once_one_runs_the_command_and_all_get_its_answer() {
    AtomicInteger runs = new AtomicInteger();
    deploy(counted(runs, Commands.place()));
    List<Future<CommandReply>> replies = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      replies.add(client.send("place", id, arguments));
    }
    await(Future.join(replies));

    assertThat(runs).hasValue(1);
    assertThat(replies.stream().filter(reply -> !reply.result().repeated())).hasSize(1);
    assertThat(replies.stream().map(reply -> reply.result().messages()).distinct()).hasSize(1);
    assertThat(database.count("millrace.outbox")).isEqualTo(2);
  }

  @Test
  void of_twenty_callers_at_once_all_get_the_same_refusal() {
    AtomicInteger runs = new AtomicInteger();
    deploy(counted(runs, Commands.refuse("sold_out")));
    List<Future<CommandReply>> replies = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      replies.add(client.send("refuse", id, arguments));
    }
    await(Future.join(replies).otherwiseEmpty());

    assertThat(runs).hasValue(1);
    assertThat(replies).allMatch(reply -> reply.cause() instanceof CommandRefused);
    assertNothingWasDone();
  }

  @Test
  void a_repetition_while_the_first_still_runs_waits_for_its_answer() {
    AtomicInteger runs = new AtomicInteger();
    Promise<Void> gate = Promise.promise();
    // A role that reads with old eyes by default must not make the command run twice.
    deploy(
        database.app(4, Map.of("default_transaction_isolation", "repeatable read")),
        config(10_000),
        counted(
            runs,
            Commands.of("place", context -> gate.future().compose(go -> Commands.place(context)))));
    Future<CommandReply> first = client.send("place", id, arguments);
    awaitUntil(() -> runs.get() == 1);
    Future<CommandReply> second = client.send("place", id, arguments);
    awaitUntil(() -> database.count("pg_locks where locktype = 'advisory' and not granted") == 1);

    gate.complete();

    assertThat(await(first).repeated()).isFalse();
    assertThat(await(second).repeated()).isTrue();
    assertThat(second.result().messages()).isEqualTo(first.result().messages());
    assertThat(runs).hasValue(1);
  }

  @Test
  void the_same_id_with_other_arguments_or_another_name_is_refused() {
    deploy(Commands.place(), Commands.refuse("no"));
    send("place");

    assertFails(
        () -> await(client.send("place", id, new JsonObject().put("id", "2"))),
        Kind.ID_REUSED,
        "command_id " + id + " was used before for place with other arguments");
    assertFails(() -> send("refuse"), Kind.ID_REUSED, "was used before for place");
    assertThat(database.count("public.orders")).isEqualTo(1);
  }

  @Test
  void an_id_outside_the_window_is_refused() {
    deploy(Commands.place());
    long dayMs = 86_400_000L;
    long nowMs = System.currentTimeMillis();

    for (long atMs : List.of(nowMs - 7 * dayMs - 60_000, nowMs + dayMs + 60_000)) {
      assertFails(
          () -> await(client.send("place", Uuid7.of(atMs, 1, 2), arguments)),
          Kind.INVALID,
          "command_id must have a time between 7 days ago and a day ahead");
    }
    assertNothingWasDone();
  }
}
