package io.millrace.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.message.HeaderName;
import io.millrace.core.message.Payload;
import io.millrace.core.message.Uuid7;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IdentityRuleTest {
  private static final IdentityRule MILLRACE = IdentityRule.ofMillrace();
  private static final IdentityRule FOREIGN =
      new IdentityRule(HeaderName.ID, HeaderName.SOURCE, HeaderName.TIME);
  private static final UUID ID = Uuid7.of(1_764_464_400_123L, 5, 6);

  private static ReceivedRecord record(String... namesAndValues) {
    List<RecordHeader> headers = new ArrayList<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      headers.add(new RecordHeader(namesAndValues[i], Payload.of(namesAndValues[i + 1])));
    }
    return new ReceivedRecord("t", 3, 17, 0, 99, null, null, headers);
  }

  @Test
  void a_uuid_v7_carries_its_own_time_whatever_other_headers_say() {
    ReceivedRecord record = record(HeaderName.ID, ID.toString(), HeaderName.TIME, "nonsense");

    assertThat(MILLRACE.of(record).identity()).isEqualTo(new Identity(ID, 1_764_464_400_123L));
    assertThat(FOREIGN.of(record)).isEqualTo(MILLRACE.of(record));
  }

  @Test
  void the_first_header_of_a_name_counts() {
    ReceivedRecord record = record(HeaderName.ID, ID.toString(), HeaderName.ID, "other");

    assertThat(MILLRACE.of(record).identity()).isEqualTo(new Identity(ID, 1_764_464_400_123L));
  }

  @ParameterizedTest
  @ValueSource(strings = {"order 17", "1-2-7-8-9", "550e8400-e29b-41d4-a716-446655440000"})
  void another_id_is_refused_unless_a_time_header_is_configured(String id) {
    IdentityRule.Finding finding = MILLRACE.of(record(HeaderName.ID, id));

    assertThat(finding.identity()).isNull();
    assertThat(finding.refusal()).contains(HeaderName.ID).contains(id).contains("no UUIDv7");
  }

  @ParameterizedTest
  @CsvSource({
    "2026-11-30T01:00:00.123Z, 1796000400123",
    "2026-11-30T03:00:00+02:00, 1796000400000",
    "1764464400123, 1764464400123",
  })
  void a_foreign_message_has_the_time_of_its_header(String time, long ms) {
    Identity identity =
        FOREIGN.of(record(HeaderName.ID, "order 17", HeaderName.TIME, time)).identity();

    assertThat(identity).isNotNull();
    assertThat(identity.timeMs()).isEqualTo(ms);
    assertThat(identity.messageId().version()).isEqualTo(8);
    assertThat(identity.messageId().variant()).isEqualTo(2);
  }

  @Test
  void a_foreign_id_counts_together_with_its_sender() {
    UUID ofA = foreign("a", "bc");

    assertThat(foreign("a", "bc")).isEqualTo(ofA);
    assertThat(foreign("ab", "c")).isNotEqualTo(ofA);
    assertThat(foreign("b", "bc")).isNotEqualTo(ofA);
  }

  private static UUID foreign(String source, String id) {
    ReceivedRecord record =
        record(
            HeaderName.ID, id, HeaderName.SOURCE, source, HeaderName.TIME, "2026-11-30T01:00:00Z");
    Identity identity = FOREIGN.of(record).identity();
    assertThat(identity).isNotNull();
    return identity.messageId();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "yesterday", "2026-11-30", "9999999999999999", "-5"})
  void a_time_that_is_none_is_refused_with_what_was_found(String time) {
    IdentityRule.Finding finding =
        FOREIGN.of(record(HeaderName.ID, "order 17", HeaderName.TIME, time));

    assertThat(finding.identity()).isNull();
    assertThat(finding.refusal()).contains(HeaderName.TIME).contains("\"" + time + "\"");
  }

  @Test
  void missing_null_and_binary_headers_are_refused_by_name() {
    RecordHeader nothing = new RecordHeader(HeaderName.ID, null);
    RecordHeader binary = new RecordHeader(HeaderName.ID, Payload.of(new byte[] {-1, -2}));
    for (List<RecordHeader> headers :
        List.of(List.<RecordHeader>of(), List.of(nothing), List.of(binary))) {
      ReceivedRecord record = new ReceivedRecord("t", 0, 1, 0, 0, null, null, headers);
      assertThat(MILLRACE.of(record).refusal())
          .isEqualTo("header ce_id with the message id is missing or no text");
    }
  }

  @Test
  void coordinates_stand_in_for_an_identity_and_differ() {
    UUID topic = new UUID(1, 2);
    Identity here = IdentityRule.ofCoordinates(topic, record());

    assertThat(IdentityRule.ofCoordinates(topic, record())).isEqualTo(here);
    assertThat(IdentityRule.ofCoordinates(new UUID(1, 3), record()).messageId())
        .isNotEqualTo(here.messageId());
  }
}
