package io.millrace.payload.avro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.message.InvalidMessageException;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import io.millrace.core.message.UnreadablePayloadException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.apache.avro.Conversions;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.junit.jupiter.api.Test;

class AvroCodecTest {
  /** What senders wrote before there was a note and an amount in decimal digits. */
  private static final Schema OLD =
      schema(
          """
          {"name": "id", "type": "string"}, {"name": "cents", "type": "int"},
          {"name": "amount", "type": {"type": "bytes", "logicalType": "decimal", "precision": 20, "scale": 2}},
          {"name": "paid_at", "type": {"type": "long", "logicalType": "timestamp-millis"}}
          """);

  private static final Schema PLAIN =
      schema("{\"name\": \"id\", \"type\": \"string\"}, {\"name\": \"cents\", \"type\": \"long\"}");

  private final AvroCodec<Paid> codec = AvroCodec.of(Paid.class);

  @Property
  void a_value_comes_back_as_it_was(
      @ForAll String id,
      @ForAll long cents,
      @ForAll long amount,
      @ForAll @LongRange(min = 0, max = 253_402_300_799_999L) long ms,
      @ForAll boolean noted) {
    // A lone surrogate is no text: Avro writes a question mark.
    if (StandardCharsets.UTF_8.newEncoder().canEncode(id)) {
      Paid paid =
          new Paid(
              id,
              cents,
              BigDecimal.valueOf(amount, 2),
              Instant.ofEpochMilli(ms),
              noted ? id : null);
      assertThat(codec.read(codec.write(paid))).isEqualTo(paid);
      AvroCodec<Paid> registered = codec.registered(7, number -> null);
      assertThat(registered.read(registered.write(paid))).isEqualTo(paid);
    }
  }

  @Test
  void single_object_encoding_is_what_the_specification_says() {
    byte[] bytes = codec.write(paid(3)).bytes();
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    assertThat(buffer.get()).isEqualTo((byte) 0xC3);
    assertThat(buffer.get()).isEqualTo((byte) 0x01);
    assertThat(buffer.getLong())
        .isEqualTo(SchemaNormalization.parsingFingerprint64(Paid.getClassSchema()));
    assertThat(HexFormat.of().formatHex(bytes, 10, 13)).isEqualTo("027006");
  }

  @Test
  void a_registrys_format_is_a_zero_byte_and_the_number() {
    byte[] bytes = codec.registered(0x01020304, number -> null).write(paid(3)).bytes();
    assertThat(HexFormat.of().formatHex(bytes, 0, 8)).isEqualTo("0001020304027006");
  }

  @Test
  void a_reader_understands_older_senders_that_it_was_told_of() {
    Payload old = AvroCodec.ofGeneric(OLD, decimals()).write(oldPaid());
    assertThatThrownBy(() -> codec.read(old))
        .isInstanceOf(UnreadablePayloadException.class)
        .hasMessageStartingWith(
            "payload must be written by a schema that the reader of io.millrace.payload.avro.Paid was given, found: ");
    AvroCodec<Paid> both = codec.readingAlso(OLD);
    assertThat(both.read(old)).isEqualTo(paid(3));
    assertThat(both.read(codec.write(paid(4)))).isEqualTo(paid(4));
  }

  @Test
  void a_schema_that_can_never_be_read_is_refused_before_any_payload() {
    assertThatThrownBy(() -> codec.readingAlso(PLAIN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "io.millrace.payload.avro.Paid cannot be read as io.millrace.payload.avro.Paid: READER_FIELD_MISSING_DEFAULT_VALUE at /fields/2: amount");
    assertThatThrownBy(() -> codec.registered(1, number -> OLD).readingAlso(OLD))
        .hasMessageContaining("is found by its registry's number");
    assertThatThrownBy(() -> codec.registered(-1, number -> OLD)).hasMessageEndingWith("found -1");
  }

  @Test
  void a_registry_is_asked_once_for_a_number() {
    AtomicInteger asked = new AtomicInteger();
    AvroCodec<Paid> reader =
        codec.registered(
            2,
            number -> {
              asked.incrementAndGet();
              return number == 1 ? OLD : null;
            });
    Payload old =
        AvroCodec.ofGeneric(OLD, decimals()).registered(1, number -> null).write(oldPaid());
    assertThat(reader.read(old)).isEqualTo(paid(3));
    assertThat(reader.read(old)).isEqualTo(paid(3));
    assertThat(asked).hasValue(1);
    Payload unknown =
        AvroCodec.ofGeneric(OLD, decimals()).registered(9, number -> null).write(oldPaid());
    assertThatThrownBy(() -> reader.read(unknown))
        .hasMessage("payload must be written by a schema of the registry, found number 9");
  }

  @Test
  void one_form_is_not_taken_for_the_other() {
    AvroCodec<Paid> registered = codec.registered(1, number -> null);
    assertThatThrownBy(() -> codec.read(registered.write(paid(1))))
        .isInstanceOf(UnreadablePayloadException.class)
        .hasMessageContaining("single-object encoding");
    assertThatThrownBy(() -> registered.read(codec.write(paid(1))))
        .isInstanceOf(UnreadablePayloadException.class)
        .hasMessageEndingWith("found c3");
  }

  @Test
  void a_payload_that_is_cut_or_longer_is_refused() {
    for (AvroCodec<Paid> form : Arrays.asList(codec, codec.registered(1, number -> null))) {
      byte[] whole = form.write(paid(5)).bytes();
      for (int length = 0; length < whole.length; length++) {
        Payload cut = Payload.of(Arrays.copyOf(whole, length));
        assertThatThrownBy(() -> form.read(cut))
            .as("%d of %d bytes", length, whole.length)
            .isInstanceOf(UnreadablePayloadException.class);
      }
      assertThatThrownBy(() -> form.read(Payload.of(Arrays.copyOf(whole, whole.length + 2))))
          .isInstanceOf(UnreadablePayloadException.class)
          .hasMessageEndingWith("found: 2 bytes behind its end");
    }
  }

  @Property
  void whatever_the_bytes_are_a_reader_ends_or_says_so(@ForAll @Size(max = 60) byte[] noise) {
    byte[] start = Arrays.copyOf(codec.write(paid(1)).bytes(), 10);
    byte[] bytes = Arrays.copyOf(start, 10 + noise.length);
    System.arraycopy(noise, 0, bytes, 10, noise.length);
    try {
      codec.read(Payload.of(bytes));
    } catch (UnreadablePayloadException expected) {
      assertThat(expected).hasMessageStartingWith("payload must be a io.millrace");
    }
  }

  @Test
  void a_value_that_lacks_a_field_is_an_invalid_message() {
    Paid nameless = paid(1);
    nameless.put("id", null);
    assertThatThrownBy(() -> codec.write(nameless))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageStartingWith(
            "payload must be a io.millrace.payload.avro.Paid of its Avro schema, found: ")
        .hasMessageContaining("id");
  }

  @Test
  void records_of_a_schema_need_no_class() {
    AvroCodec<GenericRecord> plain = AvroCodec.of(PLAIN);
    GenericRecord value = new GenericRecordBuilder(PLAIN).set("id", "p").set("cents", 8L).build();
    assertThat(plain.read(plain.write(value)).get("cents")).isEqualTo(8L);
    assertThatThrownBy(() -> plain.write(new GenericData.Record(PLAIN)))
        .isInstanceOf(InvalidMessageException.class);
  }

  @Test
  void a_message_takes_payload_and_content_type_from_it() {
    NewMessage message = NewMessage.of("t", "payment", "p", "paid", null).withValue(codec, paid(1));
    assertThat(message.contentType()).isEqualTo("application/avro");
    assertThat(codec.reads("Application/Avro")).isTrue();
    assertThat(codec.reads("application/json")).isFalse();
    assertThat(codec.withContentType("application/vnd.acme+avro").reads("application/avro"))
        .isFalse();
  }

  private static Paid paid(long cents) {
    return new Paid("p", cents, new BigDecimal("1.50"), Instant.ofEpochMilli(1), null);
  }

  private static GenericRecord oldPaid() {
    return new GenericRecordBuilder(OLD)
        .set("id", "p")
        .set("cents", 3)
        .set("amount", new BigDecimal("1.5").setScale(2, RoundingMode.UNNECESSARY))
        .set("paid_at", 1L)
        .build();
  }

  private static GenericData decimals() {
    GenericData model = new GenericData();
    model.addLogicalTypeConversion(new Conversions.DecimalConversion());
    return model;
  }

  private static Schema schema(String fields) {
    return new Schema.Parser()
        .parse(
            "{\"type\": \"record\", \"name\": \"Paid\", \"namespace\": \"io.millrace.payload.avro\", \"fields\": ["
                + fields
                + "]}");
  }
}
