package io.millrace.core.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MessageRulesTest {
  private static final int PAYLOAD_BYTES_MAX = 1_000;

  /** One character for a reader, two for Java, four bytes in UTF-8. */
  private static final String ASTRAL = "\uD83D\uDE80";

  private final MessageRules rules = new MessageRules(PAYLOAD_BYTES_MAX);

  /** A text field, its limit, whether it may be absent, and how a message gets a value for it. */
  record TextField(String name, int charsMax) {
    NewMessage with(String value) {
      NewMessage valid = valid();
      return new NewMessage(
          pick("topic", value, valid.topic()),
          pick("aggregate_type", value, valid.aggregateType()),
          pick("aggregate_id", value, valid.aggregateId()),
          pick("event_type", value, valid.eventType()),
          valid.payload(),
          null,
          null,
          name.equals("message_key") ? value : null,
          name.equals("schema_version") ? value : null,
          pick("content_type", value, valid.contentType()),
          List.of(),
          name.equals("resolver") ? value : null);
    }

    private String pick(String field, String value, String otherwise) {
      return name.equals(field) ? value : otherwise;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<TextField> allFields() {
    return Stream.concat(Stream.of(new TextField("topic", 249)), freeTextFields());
  }

  static Stream<TextField> freeTextFields() {
    return Map.of(
            "aggregate_type", 200,
            "aggregate_id", 400,
            "event_type", 200,
            "content_type", 200,
            "message_key", 1_000,
            "schema_version", 100,
            "resolver", 100)
        .entrySet()
        .stream()
        .map(field -> new TextField(field.getKey(), field.getValue()));
  }

  @ParameterizedTest
  @MethodSource("allFields")
  void a_text_of_the_greatest_length_is_accepted(TextField field) {
    assertAccepted(field.with("x".repeat(field.charsMax())));
  }

  @ParameterizedTest
  @MethodSource("allFields")
  void a_text_that_is_one_too_long_is_refused(TextField field) {
    assertRefused(
        field.with("x".repeat(field.charsMax() + 1)),
        field
            + " must have 1 to "
            + field.charsMax()
            + " characters, found "
            + (field.charsMax() + 1));
  }

  @ParameterizedTest
  @MethodSource("allFields")
  void an_empty_text_is_refused(TextField field) {
    assertRefused(
        field.with(""), field + " must have 1 to " + field.charsMax() + " characters, found 0");
  }

  @ParameterizedTest
  @MethodSource("allFields")
  void a_text_with_nul_is_refused(TextField field) {
    assertRefused(
        field.with("ab\0"), field + " must not contain NUL (U+0000), found one at index 2");
  }

  @ParameterizedTest
  @MethodSource("allFields")
  void half_a_surrogate_pair_is_refused(TextField field) {
    assertRefused(
        field.with("a\uD83D"),
        field + " must not contain an unpaired surrogate, found one at index 1");
    assertRefused(
        field.with("\uDE80\uD83D"),
        field + " must not contain an unpaired surrogate, found one at index 0");
  }

  @ParameterizedTest
  @MethodSource("freeTextFields")
  void characters_are_counted_rather_than_java_chars(TextField field) {
    assertAccepted(field.with(ASTRAL.repeat(field.charsMax())));
    assertRefused(
        field.with(ASTRAL.repeat(field.charsMax() + 1)), "found " + (field.charsMax() + 1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b", "ä", "a/b", "a:b", ".", "..", "a\n", "a,b"})
  void a_name_that_kafka_would_refuse_is_no_topic(String topic) {
    assertRefused(new TextField("topic", 249).with(topic), "topic may contain only a-z, A-Z, 0-9");
  }

  @ParameterizedTest
  @ValueSource(strings = {"...", "a.b", "A_1-z", "-"})
  void a_name_that_kafka_would_take_is_a_topic(String topic) {
    assertAccepted(new TextField("topic", 249).with(topic));
  }

  @Test
  void a_payload_is_limited_in_bytes() {
    assertAccepted(withPayload(Payload.of(new byte[PAYLOAD_BYTES_MAX])));
    assertRefused(
        withPayload(Payload.of(new byte[PAYLOAD_BYTES_MAX + 1])),
        "payload must have at most 1000 bytes, found 1001");
    assertRefused(withPayload(Payload.of(ASTRAL.repeat(251))), "found 1004");
  }

  @Test
  void a_tombstone_and_an_empty_payload_are_accepted() {
    assertAccepted(withPayload(null));
    assertAccepted(withPayload(Payload.of(new byte[0])));
  }

  @Test
  void a_hundred_headers_are_accepted_and_one_more_is_refused() {
    NewMessage message = valid();
    for (int i = 0; i < 100; i++) {
      message = message.withHeader("same", "");
    }
    assertAccepted(message);
    assertRefused(message.withHeader("one", "more"), "headers must be at most 100, found 101");
  }

  @Test
  void headers_are_limited_together() {
    NewMessage full = valid().withHeader("a", "x".repeat(16_383));
    assertAccepted(full);
    assertRefused(
        full.withHeader("b", ""),
        "headers must have at most 16384 characters together, found 16385");
  }

  @Test
  void a_header_name_has_the_limits_of_a_text() {
    assertAccepted(valid().withHeader("n".repeat(200), ""));
    assertRefused(
        valid().withHeader("n".repeat(201), ""),
        "header name must have 1 to 200 characters, found 201");
    assertRefused(
        valid().withHeader("", "v"), "header name must have 1 to 200 characters, found 0");
    assertRefused(valid().withHeader("\0", "v"), "header name must not contain NUL");
    assertRefused(valid().withHeader("\uD83D", "v"), "header name must not contain an unpaired");
  }

  @Test
  void a_header_value_names_its_header_when_it_is_refused() {
    assertRefused(
        valid().withHeader("trace", "a\0"),
        "header 'trace' must not contain NUL (U+0000), found one at index 1");
    assertRefused(
        valid().withHeader("trace", "\uDE80"),
        "header 'trace' must not contain an unpaired surrogate, found one at index 0");
  }

  @Test
  void a_message_id_must_be_a_uuid_v7() {
    UUID random = UUID.fromString("6ba7b810-9dad-41d1-80b4-00c04fd430c8");
    assertAccepted(valid().withMessageId(Uuid7.of(1L, 2L, 3L)));
    assertRefused(valid().withMessageId(random), "message_id must be a UUIDv7, found " + random);
  }

  @Test
  void a_revision_must_not_be_negative() {
    assertAccepted(valid().withRevision(0));
    assertAccepted(valid().withRevision(Long.MAX_VALUE));
    assertRefused(valid().withRevision(-1), "revision must not be negative, found -1");
  }

  @Test
  void the_first_message_that_is_refused_is_named_by_its_position() {
    List<NewMessage> messages =
        List.of(valid(), valid().withSchemaVersion(""), valid().withRevision(-1));
    assertThatThrownBy(() -> rules.check(messages))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessage("message 1: schema_version must have 1 to 100 characters, found 0")
        .hasCauseInstanceOf(InvalidMessageException.class);
  }

  @Test
  void an_append_takes_one_to_ten_thousand_messages() {
    List<NewMessage> messages = new ArrayList<>();
    assertThatThrownBy(() -> rules.check(messages))
        .hasMessage("an append takes 1 to 10000 messages, found 0");
    for (int i = 0; i < 10_000; i++) {
      messages.add(valid());
    }
    assertThatCode(() -> rules.check(messages)).doesNotThrowAnyException();
    messages.add(valid());
    assertThatThrownBy(() -> rules.check(messages))
        .hasMessage("an append takes 1 to 10000 messages, found 10001");
  }

  @Test
  void payloads_of_one_append_have_a_limit_together() {
    MessageRules large = new MessageRules(16_000_000);
    NewMessage quarter = withPayload(Payload.of(new byte[16_000_000]));
    List<NewMessage> messages = new ArrayList<>(List.of(quarter, quarter, quarter, quarter));
    assertThatCode(() -> large.check(messages)).doesNotThrowAnyException();
    messages.add(withPayload(Payload.of("x")));
    assertThatThrownBy(() -> large.check(messages))
        .hasMessage("an append takes payloads of at most 64000000 bytes together, found 64000001");
  }

  @Test
  void a_revision_is_asked_for_by_the_rules_of_a_message() {
    assertThatCode(() -> rules.checkRevision("order", "1", OptionalLong.of(0)))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> rules.checkRevision("order", "", OptionalLong.empty()))
        .hasMessage("aggregate_id must have 1 to 400 characters, found 0");
    assertThatThrownBy(() -> rules.checkRevision("order", "1", OptionalLong.of(-1)))
        .hasMessage("expected must not be negative, found -1");
  }

  @Test
  void a_header_of_a_name_that_is_there_already_is_added() {
    NewMessage message = valid().withHeader("n", "1").withHeader("n", "2");
    assertThat(message.headers()).containsExactly(new Header("n", "1"), new Header("n", "2"));
  }

  private static NewMessage valid() {
    return NewMessage.of("orders", "order", "42", "paid", Payload.of("{}"));
  }

  private static NewMessage withPayload(Payload payload) {
    return NewMessage.of("orders", "order", "42", "paid", payload);
  }

  private void assertAccepted(NewMessage message) {
    assertThatCode(() -> rules.check(message)).doesNotThrowAnyException();
  }

  private void assertRefused(NewMessage message, String text) {
    assertThatThrownBy(() -> rules.check(message))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageContaining(text);
  }
}
