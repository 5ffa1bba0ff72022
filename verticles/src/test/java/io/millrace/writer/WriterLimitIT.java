package io.millrace.writer;

import static io.millrace.writer.AppDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.CommandClient;
import io.millrace.client.CommandContext;
import io.millrace.client.CommandFailure;
import io.millrace.client.CommandFailure.Kind;
import io.millrace.client.CommandReply;
import io.millrace.client.CommandResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What takes too long, breaks off or ends. */
class WriterLimitIT extends WriterCase {

  @Test
  void a_command_that_never_ends_is_given_up_and_its_connection_is_lost_to_it() {
    AtomicInteger runs = new AtomicInteger();
    List<CommandContext> left = new ArrayList<>();
    deploy(
        database.app(1),
        config(300),
        Commands.of(
            "place",
            context -> {
              left.add(context);
              return runs.incrementAndGet() == 1
                  ? Commands.place(context).compose(v -> Promise.<CommandResult>promise().future())
                  : Commands.place(context);
            }));

    assertFails(() -> send("place"), Kind.UNAVAILABLE, "not done within 300 ms");
    assertNothingWasDone();

    awaitUntil(
        () -> await(client.send("place", id, arguments).map(reply -> true).otherwise(false)));
    CommandContext abandoned = left.get(0);
    assertThatThrownBy(() -> await(abandoned.append(Commands.message("9", "late"))))
        .hasMessageContaining("the run of command_id " + id + " has ended");
    assertThatThrownBy(() -> await(abandoned.connection().query("select 1").execute()))
        .isInstanceOf(Exception.class);
    assertThat(database.count("millrace.outbox")).isEqualTo(2);
  }

  @Test
  void a_statement_that_takes_too_long_is_cancelled_and_the_outcome_is_unknown() {
    deploy(
        database.app(1),
        config(300),
        Commands.of(
            "place",
            context ->
                context.connection().query("select pg_sleep(60)").execute().map(v -> NOTHING)));

    assertFails(() -> send("place"), Kind.UNAVAILABLE, "repeat with the same command_id");
    awaitUntil(() -> sessionsInTransaction() == 0);
  }

  @Test
  void a_lost_connection_leaves_the_outcome_unknown_and_a_repetition_finds_out() {
    AtomicInteger runs = new AtomicInteger();
    deploy(
        counted(
            runs,
            Commands.of(
                "place",
                context ->
                    runs.get() == 1
                        ? Commands.place(context).compose(v -> cut(context))
                        : Commands.place(context))));

    assertFails(() -> send("place"), Kind.UNAVAILABLE, "repeat with the same command_id");
    assertNothingWasDone();
    assertThat(send("place").repeated()).isFalse();
    assertThat(database.count("millrace.outbox")).isEqualTo(2);
  }

  @Test
  void a_command_whose_time_went_by_in_the_queue_does_not_run() {
    AtomicInteger runs = new AtomicInteger();
    Pool pool = database.app(1);
    SqlConnection held = await(pool.getConnection());
    deploy(pool, config(300), counted(runs, Commands.place()));

    assertFails(() -> send("place"), Kind.UNAVAILABLE, "not done within 300 ms");
    await(held.close());

    await(vertx.undeploy(deployed.remove(0))); // which waits for all that was queued
    assertThat(runs).hasValue(0);
  }

  @Test
  void without_a_writer_the_caller_may_repeat() {
    assertThatThrownBy(() -> send("place"))
        .isInstanceOf(CommandFailure.class)
        .satisfies(failure -> assertThat(((CommandFailure) failure).mayBeRepeated()).isTrue());
  }

  @Test
  void stop_waits_for_the_commands_that_run_and_their_callers_get_answers() {
    Promise<Void> gate = Promise.promise();
    AtomicInteger runs = new AtomicInteger();
    deploy(
        counted(
            runs,
            Commands.of("place", context -> gate.future().compose(go -> Commands.place(context)))));
    Future<CommandReply> reply = client.send("place", id, arguments);
    awaitUntil(() -> runs.get() == 1);

    Future<Void> stopped = vertx.undeploy(deployed.remove(0));
    awaitUntil(
        () -> await(client.send("x", id, arguments).map(false).otherwise(WriterLimitIT::absent)));
    assertThat(stopped.isComplete()).isFalse();
    gate.complete();

    assertThat(await(reply).messages()).hasSize(2);
    await(stopped);
  }

  @Test
  void more_callers_than_connections_are_all_served() {
    deploy(database.app(3), config(20_000), Commands.place());
    List<Future<CommandReply>> replies = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      JsonObject each = new JsonObject().put("id", Integer.toString(i));
      replies.add(client.send("place", CommandClient.newCommandId(), each));
    }

    await(Future.join(replies));

    assertThat(database.count("public.orders")).isEqualTo(200);
    assertThat(database.count("millrace.outbox")).isEqualTo(400);
  }

  private static Future<CommandResult> cut(CommandContext context) {
    return context
        .connection()
        .query("select pg_backend_pid()")
        .execute()
        .map(rows -> rows.iterator().next().getInteger(0))
        .compose(
            pid ->
                vertx.executeBlocking(
                    () -> database.admin("select pg_terminate_backend(" + pid + ")")))
        .compose(v -> context.connection().query("select 1").execute())
        .map(v -> NOTHING);
  }

  private static boolean absent(Throwable failure) {
    return failure instanceof CommandFailure known && known.kind() == Kind.NO_WRITER;
  }
}
