package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.message.Appended;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What goes over the bus is read as it was written, also by another node: as JSON text. */
class WireTest {
  private static final UUID ID = CommandClient.newCommandId();

  @Test
  void a_request_is_read_as_it_was_written() {
    CommandRequest request = new CommandRequest("pay", ID, new JsonObject().put("amount", 5));

    assertThat(CommandRequest.from(overTheBus(request.toJson()))).isEqualTo(request);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "name       | 5        | name must be a text, found '5'",
        "name       | ''       | name must be 1 to 200 characters without NUL, found ''",
        "arguments  | text     | arguments must be a JSON object, found 'text'",
        "command_id | x        | command_id must be a UUIDv7, found 'x'",
        "command_id | 6ba7b810-9dad-41d1-80b4-00c04fd430c8 | command_id must be a UUIDv7, found",
      })
  void a_wrong_field_is_named(String field, String value, String text) {
    JsonObject json = new CommandRequest("pay", ID, new JsonObject()).toJson();
    json.put(field, value.equals("5") ? Integer.valueOf(5) : value);

    assertInvalid(json, text);
  }

  @ParameterizedTest
  @CsvSource({"name", "arguments", "command_id"})
  void a_missing_field_is_named(String field) {
    JsonObject json = new CommandRequest("pay", ID, new JsonObject()).toJson();
    json.remove(field);

    assertInvalid(json, field + " must be");
  }

  @Test
  void a_body_that_is_no_object_is_refused() {
    assertInvalid(null, "a command must be a JSON object, found nothing");
    assertInvalid("pay", "a command must be a JSON object, found 'java.lang.String'");
    assertInvalid(new JsonArray(), "a command must be a JSON object");
  }

  @Test
  void a_reply_is_read_as_it_was_written() {
    List<Appended> messages = List.of(new Appended(1L << 40, ID, 7), new Appended(2, ID, 8));
    JsonObject body = new JsonObject().put("state", "paid");
    CommandAnswer.Done done = new CommandAnswer.Done(messages, List.of(3L, 1L << 41), body);

    CommandReply reply = CommandReply.from(overTheBus(CommandReply.toJson(done, true)));

    assertThat(reply).isEqualTo(new CommandReply(messages, done.revisions(), body, true));
    assertThat(CommandAnswer.from(false, overTheBus(done.toJson()))).isEqualTo(done);
  }

  @Test
  void a_refusal_is_read_as_it_was_written() {
    CommandAnswer refusal = new CommandAnswer.Refusal("sold_out", "there is none left");

    assertThatThrownBy(() -> CommandReply.from(overTheBus(CommandReply.toJson(refusal, false))))
        .isInstanceOf(CommandRefused.class)
        .hasMessage("there is none left")
        .satisfies(failure -> assertThat(((CommandRefused) failure).code()).isEqualTo("sold_out"));
    assertThat(CommandAnswer.from(true, overTheBus(refusal.toJson()))).isEqualTo(refusal);
  }

  @ParameterizedTest
  @EnumSource(CommandFailure.Kind.class)
  void every_kind_of_failure_keeps_its_kind(CommandFailure.Kind kind) {
    ReplyException reply =
        new ReplyException(ReplyFailure.RECIPIENT_FAILURE, kind.failureCode(), "why");

    assertThat(CommandFailure.from(reply).kind()).isEqualTo(kind);
    assertThat(CommandFailure.from(reply)).hasMessage("why");
  }

  @Test
  void a_request_that_nobody_answered_may_be_repeated() {
    assertThat(CommandFailure.from(new ReplyException(ReplyFailure.TIMEOUT)).mayBeRepeated())
        .isTrue();
    assertThat(CommandFailure.from(new ReplyException(ReplyFailure.NO_HANDLERS)).mayBeRepeated())
        .isTrue();
    assertThat(
            CommandFailure.from(new ReplyException(ReplyFailure.RECIPIENT_FAILURE, 99, "?"))
                .mayBeRepeated())
        .isTrue();
  }

  @Test
  void a_nudge_is_read_as_it_was_written() {
    Nudge nudge = new Nudge(Set.of(3, 1, 2));

    assertThat(nudge.toJson().encode()).isEqualTo("{\"shards\":[1,2,3]}");
    assertThat(Nudge.from(overTheBus(nudge.toJson()))).isEqualTo(nudge);
    assertThat(Nudge.from(new JsonObject()).shards()).isEmpty();
    assertThat(Nudge.from(new JsonObject("{\"shards\":[1,\"x\",null]}")).shards())
        .containsExactly(1);
  }

  @Test
  void command_ids_are_never_the_same() {
    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      ids.add(CommandClient.newCommandId());
    }
    assertThat(ids).doesNotHaveDuplicates().allMatch(id -> id.version() == 7);
  }

  private static JsonObject overTheBus(JsonObject json) {
    return new JsonObject(json.encode());
  }

  private static void assertInvalid(Object body, String text) {
    assertThatThrownBy(() -> CommandRequest.from(body))
        .hasMessageContaining(text)
        .satisfies(
            failure ->
                assertThat(((CommandFailure) failure).kind())
                    .isEqualTo(CommandFailure.Kind.INVALID));
  }
}
