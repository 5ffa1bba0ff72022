package io.millrace.writer;

import static io.millrace.writer.AppDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Addresses;
import io.millrace.client.Command;
import io.millrace.client.CommandContext;
import io.millrace.client.CommandFailure;
import io.millrace.client.CommandFailure.Kind;
import io.millrace.client.CommandRefused;
import io.millrace.client.CommandReply;
import io.millrace.client.CommandResult;
import io.millrace.client.Nudge;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a command can do, and how it can go wrong. */
class WriterIT extends WriterCase {

  @Test
  void a_command_changes_announces_and_replies() {
    deploy(Commands.place());
    Promise<JsonObject> nudged = Promise.promise();
    var consumer =
        vertx.eventBus().<JsonObject>consumer(Addresses.NUDGE, m -> nudged.tryComplete(m.body()));
    await(consumer.completion());

    CommandReply reply = send("place");

    assertThat(reply.repeated()).isFalse();
    assertThat(reply.body()).isEqualTo(new JsonObject().put("placed", "1"));
    assertThat(reply.revisions()).containsExactly(1L);
    assertThat(
            database.admin(
                "select id, message_id, shard, revision from millrace.outbox order by id"))
        .extracting(row -> row.deepToString())
        .containsExactlyElementsOf(
            reply.messages().stream()
                .map(m -> "[%d,%s,%d,1]".formatted(m.id(), m.messageId(), m.shard()))
                .toList());
    assertThat(database.count("public.orders")).isEqualTo(1);
    assertThat(Nudge.from(await(nudged.future()))).isEqualTo(Nudge.of(reply.messages()));
    await(consumer.unregister());
  }

  @Test
  void a_command_may_turn_an_sql_error_into_a_refusal() {
    database.admin("insert into public.orders values ('1', 'placed')");
    deploy(
        Commands.of(
            "place",
            context ->
                Commands.place(context)
                    .recover(
                        f -> Future.failedFuture(new CommandRefused("exists", "it is there")))));

    assertRefused(() -> send("place"), "exists", "it is there");
    assertRefused(() -> send("place"), "exists", "it is there");
    assertThat(database.count("millrace.outbox")).isZero();
  }

  @Test
  void a_wrong_expected_revision_is_a_refusal() {
    deploy(
        Commands.of(
            "edit",
            context ->
                context.nextRevision("order", "1", OptionalLong.of(7)).map(revision -> NOTHING)));

    assertRefused(
        () -> send("edit"),
        CommandContext.REVISION_CONFLICT,
        "order 1 was expected at revision 7, found 0");
  }

  @Test
  void an_unknown_command_is_told_the_known_names() {
    deploy(Commands.refuse("no"), Commands.place());

    assertFails(
        () -> send("plaec"),
        Kind.UNKNOWN_COMMAND,
        "name must be one of [place, refuse], found 'plaec'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "[]; a command must be a JSON object",
        "{}; name must be a text, found nothing",
        "{\"name\":\"place\"}; arguments must be a JSON object, found nothing",
        "{\"name\":\"place\",\"arguments\":{}}; command_id must be a UUIDv7, found nothing",
      })
  void a_malformed_request_is_told_which_field_is_wrong(String body, String text) {
    deploy(Commands.place());
    Object json = body.startsWith("[") ? new JsonArray(body) : new JsonObject(body);

    assertThatThrownBy(() -> await(vertx.eventBus().request(Addresses.COMMAND, json)))
        .isInstanceOf(ReplyException.class)
        .hasMessageContaining(text)
        .satisfies(
            failure ->
                assertThat(((ReplyException) failure).failureCode())
                    .isEqualTo(Kind.INVALID.failureCode()));
  }

  @Test
  void arguments_that_are_too_large_or_no_json_are_refused() {
    deploy(Commands.place());
    JsonObject large = new JsonObject().put("x", "x".repeat(1_000_000));

    assertFails(
        () -> await(client.send("place", id, large)),
        Kind.INVALID,
        "arguments must have at most 1000000 bytes, found 1000008");
    assertFails(
        () -> await(client.send("place", id, new JsonObject().put("x", new Object()))),
        Kind.INVALID,
        "arguments must be JSON values");
  }

  @Test
  void a_command_that_fails_leaves_nothing_and_may_be_repeated() {
    AtomicInteger runs = new AtomicInteger();
    List<Command> broken =
        List.of(
            Commands.of("throws", context -> fail(Commands.place(context))),
            Commands.of("fails", c -> Commands.place(c).compose(p -> Future.failedFuture("bad"))),
            Commands.of("returns_null", context -> ignore(Commands.place(context))),
            Commands.of("yields_null", c -> Commands.place(c).map(placed -> null)),
            Commands.of("hides_an_error", c -> Commands.place(c).compose(p -> hidden(c))),
            Commands.of("ends_it", c -> Commands.place(c).compose(p -> rollback(c))),
            Commands.of("says_no_json", c -> Commands.place(c).map(placed -> noJson())));
    deploy(database.app(1), config(10_000), broken.toArray(Command[]::new));

    for (Command command : broken) {
      for (int i = 0; i < 2; i++) {
        runs.incrementAndGet();
        assertThatThrownBy(() -> send(command.name()))
            .as(command.name())
            .isInstanceOf(CommandFailure.class)
            .hasMessageContaining(id.toString());
        assertNothingWasDone();
      }
    }
    assertThat(database.count("millrace.command_answer")).isZero();
    assertThat(runs).hasValue(14);
  }

  @Test
  void an_invalid_message_of_a_command_is_named_to_the_caller() {
    deploy(
        Commands.of(
            "place",
            context ->
                Commands.change(context)
                    .compose(v -> context.append(Commands.message("", "placed")))
                    .map(v -> NOTHING)));

    assertFails(() -> send("place"), Kind.FAILED, "aggregate_id must have 1 to 400 characters");
    assertNothingWasDone();
  }

  private static Future<CommandResult> fail(Future<?> placed) {
    throw new IllegalStateException("it broke beside " + placed);
  }

  private static Future<CommandResult> ignore(Future<?> placed) {
    return null;
  }

  /** Leaves the transaction aborted and says that all is well. */
  private static Future<CommandResult> hidden(CommandContext context) {
    return context
        .connection()
        .query("select 1 / 0")
        .execute()
        .map(v -> NOTHING)
        .otherwise(NOTHING);
  }

  private static Future<CommandResult> rollback(CommandContext context) {
    return context.connection().query("rollback").execute().map(NOTHING);
  }

  private static CommandResult noJson() {
    return new CommandResult(new JsonObject().put("x", new Object()));
  }
}
