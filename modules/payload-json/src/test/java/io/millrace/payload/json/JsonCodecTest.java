package io.millrace.payload.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.millrace.core.message.InvalidMessageException;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import io.millrace.core.message.UnreadablePayloadException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonCodecTest {
  record Paid(String id, BigDecimal amount, long cents, Instant at, Optional<String> note) {}

  private final JsonCodec<Paid> codec = JsonCodec.of(Paid.class);

  @Property
  void a_value_comes_back_as_it_was(
      @ForAll String id, @ForAll BigDecimal amount, @ForAll long cents, @ForAll String note) {
    Paid paid = new Paid(id, amount, cents, Instant.EPOCH.plusNanos(cents), Optional.of(note));
    // A lone surrogate is no text: Jackson refuses some and replaces others.
    if (StandardCharsets.UTF_8.newEncoder().canEncode(id + " " + note)) {
      assertThat(codec.read(codec.write(paid))).isEqualTo(paid);
    }
  }

  @Test
  void it_is_written_for_people_and_for_other_languages() {
    Paid paid =
        new Paid(
            "p",
            new BigDecimal("12345678901234567890.10"),
            7,
            Instant.ofEpochSecond(1),
            Optional.empty());
    assertThat(text(codec.write(paid)))
        .isEqualTo(
            "{\"id\":\"p\",\"amount\":12345678901234567890.10,\"cents\":7,"
                + "\"at\":\"1970-01-01T00:00:01Z\",\"note\":null}");
  }

  @Test
  void fields_that_came_later_are_passed_over() {
    Paid paid =
        codec.read(Payload.of("{\"id\":\"p\",\"amount\":1,\"cents\":1,\"currency\":\"EUR\"}"));
    assertThat(paid.amount()).isEqualTo("1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          null                              | payload must be a Paid, found null
          {"id":"a","id":"b","cents":1}     | Duplicate
          {"cents":1} {"cents":2}           | Trailing
          {"id":"p"}                        | at /cents, line 1, column
          {"cents":null}                    | at /cents, line 1, column
          {"cents":1.5}                     | at /cents, line 1, column 10
          {"cents":9223372036854775808}     | out of range
          {"cents":1                        | end-of-input
          [1]                               | payload must be a Paid in JSON
          """)
  void what_would_be_a_guess_is_refused(String json, String said) {
    assertThatThrownBy(() -> codec.read(Payload.of(json)))
        .isInstanceOf(UnreadablePayloadException.class)
        .hasMessageContaining(said);
  }

  @Test
  void an_error_tells_no_more_of_the_payload_than_what_is_wrong() {
    assertThatThrownBy(() -> codec.read(Payload.of("{\"iban\": \"DE02\", secret")))
        .isInstanceOf(UnreadablePayloadException.class)
        .hasMessageNotContaining("DE02");
  }

  @Test
  void a_value_without_a_form_in_json_is_an_invalid_message() {
    record Loop(List<Object> values) {}
    List<Object> values = new java.util.ArrayList<>();
    values.add(values);
    assertThatThrownBy(() -> JsonCodec.of(Loop.class).write(new Loop(values)))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageStartingWith("payload must be a Loop that has a form in JSON, found: ");
  }

  @Test
  void a_list_is_a_value_too() {
    JsonCodec<List<Paid>> many = JsonCodec.of(new TypeReference<List<Paid>>() {});
    List<Paid> value = List.of(new Paid("p", BigDecimal.ONE, 1, Instant.EPOCH, Optional.empty()));
    assertThat(many.read(many.write(value))).isEqualTo(value);
  }

  @Test
  void the_mapper_can_be_the_applications_own() {
    JsonMapper mapper =
        JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build();
    record Line(int unitPrice) {}
    assertThat(text(JsonCodec.of(Line.class, mapper).write(new Line(3))))
        .isEqualTo("{\"unit_price\":3}");
  }

  @Test
  void a_message_takes_payload_and_content_type_from_it() {
    JsonCodec<Paid> own = codec.withContentType("application/vnd.acme.paid+json");
    Paid paid = new Paid("p", BigDecimal.TEN, 1, Instant.EPOCH, Optional.empty());
    NewMessage message = NewMessage.of("t", "payment", "p", "paid", null).withValue(own, paid);
    assertThat(message.contentType()).isEqualTo("application/vnd.acme.paid+json");
    assertThat(own.read(message.payload())).isEqualTo(paid);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"application/json", "Application/JSON; charset=utf-8", "application/x+json"})
  void it_reads_any_json(String contentType) {
    assertThat(codec.reads(contentType)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"application/avro", "text/plain", "application/jsonx", ""})
  void it_reads_nothing_else(String contentType) {
    assertThat(codec.reads(contentType)).isFalse();
    assertThatThrownBy(() -> codec.withContentType(contentType))
        .hasMessageContaining("found \"" + contentType + '"');
  }

  private static String text(Payload payload) {
    return new String(payload.bytes(), StandardCharsets.UTF_8);
  }
}
