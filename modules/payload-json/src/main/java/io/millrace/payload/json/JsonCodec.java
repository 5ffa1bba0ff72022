package io.millrace.payload.json;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonMappingException.Reference;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.millrace.core.message.ContentType;
import io.millrace.core.message.InvalidMessageException;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import io.millrace.core.message.PayloadCodec;
import io.millrace.core.message.UnreadablePayloadException;
import java.io.IOException;

/**
 * Values of a class, often a record, as JSON (RFC 8259, in UTF-8).
 *
 * <p>Written as the application's classes say: times as RFC 3339 text in UTC, decimal numbers digit
 * by digit. Read with tolerance for what comes later: fields that the class does not have are
 * passed over, so that a sender can add some before its consumers know them. Read without tolerance
 * for what would be a guess: a name that is there twice, text behind the value, the literal {@code
 * null}, a missing or null field of a primitive type, a number with a fraction for an integer.
 */
public final class JsonCodec<T> implements PayloadCodec<T> {
  private static final JsonMapper STANDARD =
      JsonMapper.builder()
          .addModule(new JavaTimeModule())
          .addModule(new Jdk8Module())
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private final String contentType;
  private final String typeName;
  private final ObjectWriter writer;
  private final ObjectReader reader;

  private JsonCodec(String contentType, String typeName, ObjectWriter writer, ObjectReader reader) {
    this.contentType = contentType;
    this.typeName = typeName;
    this.writer = writer;
    this.reader = reader;
  }

  /** Values of a class. */
  public static <T> JsonCodec<T> of(Class<T> type) {
    return of(STANDARD, STANDARD.constructType(type));
  }

  /** Values of a generic type, such as {@code new TypeReference<List<Line>>() {}}. */
  public static <T> JsonCodec<T> of(TypeReference<T> type) {
    return of(STANDARD, STANDARD.constructType(type));
  }

  /**
   * Values of a class, as a mapper of the application's writes and reads them.
   *
   * @param mapper must not be configured any further afterwards
   */
  public static <T> JsonCodec<T> of(Class<T> type, JsonMapper mapper) {
    return of(mapper, mapper.constructType(type));
  }

  private static <T> JsonCodec<T> of(JsonMapper mapper, JavaType type) {
    return new JsonCodec<>(
        NewMessage.JSON,
        type.getRawClass().getSimpleName(),
        mapper.writerFor(type),
        mapper.readerFor(type));
  }

  /**
   * The same form under a media type of its own.
   *
   * @param own {@code application/json} or one that ends in {@code +json}, such as {@code
   *     application/vnd.acme.order+json}
   * @throws IllegalArgumentException for any other
   */
  public JsonCodec<T> withContentType(String own) {
    if (!ContentType.isJson(own)) {
      throw new IllegalArgumentException(
          "content type must be application/json or end in +json, found \"" + own + '"');
    }
    return new JsonCodec<>(own, typeName, writer, reader);
  }

  @Override
  public String contentType() {
    return contentType;
  }

  /** Any JSON: whether it is this value's, reading tells. */
  @Override
  public boolean reads(String found) {
    return ContentType.isJson(found);
  }

  @Override
  public Payload write(T value) {
    try {
      return Payload.of(writer.writeValueAsBytes(value));
    } catch (JsonProcessingException e) {
      throw new InvalidMessageException(
          "payload must be a " + typeName + " that has a form in JSON, found: " + said(e));
    }
  }

  @Override
  public T read(Payload payload) {
    try {
      T value = reader.readValue(payload.bytes());
      if (value == null) {
        throw new UnreadablePayloadException("payload must be a " + typeName + ", found null");
      }
      return value;
    } catch (IOException e) {
      throw new UnreadablePayloadException(
          "payload must be a " + typeName + " in JSON, found: " + said(e), e);
    }
  }

  /** What is wrong and where, without the excerpt of the payload that Jackson adds. */
  private static String said(IOException e) {
    if (!(e instanceof JsonProcessingException json)) {
      return e.toString();
    }
    StringBuilder text = new StringBuilder(json.getOriginalMessage());
    if (json instanceof JsonMappingException mapping && !mapping.getPath().isEmpty()) {
      text.append(", at ");
      mapping.getPath().forEach(step -> text.append('/').append(step(step)));
    }
    JsonLocation place = json.getLocation();
    if (place != null && place.getLineNr() > 0) {
      text.append(", line ").append(place.getLineNr());
      text.append(", column ").append(place.getColumnNr());
    }
    return text.toString();
  }

  private static Object step(Reference step) {
    return step.getFieldName() == null ? step.getIndex() : step.getFieldName();
  }
}
