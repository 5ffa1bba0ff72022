package io.millrace.payload.avro;

import io.millrace.core.message.InvalidMessageException;
import io.millrace.core.message.Payload;
import io.millrace.core.message.PayloadCodec;
import io.millrace.core.message.UnreadablePayloadException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.function.IntFunction;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * Values of an Avro schema in Avro's binary form. A payload says by which schema it was written, so
 * that consumers read what older and newer senders wrote, by Avro's rules of schema resolution.
 *
 * <p>Two forms. Avro's own <em>single-object encoding</em> names the schema by its fingerprint; a
 * reader is given the schemas that it may meet ({@link #readingAlso}), and nobody else is asked.
 * The <em>wire format of schema registries</em> names it by a registry's number ({@link
 * #registered}), for topics that other programs read with the registry's own libraries. Asking the
 * registry is left to the application's client of it: a number must be known before a transaction
 * begins, not within it.
 */
public final class AvroCodec<T> implements PayloadCodec<T> {

  /** The content type of both forms, unless another one is asked for. */
  public static final String AVRO = "application/avro";

  private final String contentType;
  private final Schema schema;
  private final GenericData model;
  private final Encoding<T> encoding;

  private AvroCodec(String contentType, Schema schema, GenericData model, Encoding<T> encoding) {
    this.contentType = contentType;
    this.schema = schema;
    this.model = model;
    this.encoding = encoding;
  }

  /** Values of a class that Avro's compiler has made from a schema, in single-object encoding. */
  public static <T extends SpecificRecord> AvroCodec<T> of(Class<T> type) {
    SpecificData model = SpecificData.getForClass(type);
    return of(model.getSchema(type), model);
  }

  /** Records of a schema, in single-object encoding. */
  public static AvroCodec<GenericRecord> of(Schema schema) {
    return of(schema, GenericData.get());
  }

  /**
   * Records of a schema, with the logical types that a model of the application's converts.
   *
   * @param model must not be changed any further afterwards
   */
  public static AvroCodec<GenericRecord> ofGeneric(Schema schema, GenericData model) {
    return of(schema, model);
  }

  private static <T> AvroCodec<T> of(Schema schema, GenericData model) {
    return new AvroCodec<>(AVRO, schema, model, new SingleObject<>(schema, model));
  }

  /**
   * The same, reading also what was written by that schema. In single-object encoding a reader
   * knows no others than these and its own.
   *
   * @throws IllegalArgumentException in the other form, whose registry is asked, or if values
   *     written by that schema can never be read as this codec's; the text says where
   */
  public AvroCodec<T> readingAlso(Schema writtenBy) {
    if (!(encoding instanceof SingleObject<T> singleObject)) {
      throw new IllegalArgumentException(
          "a registered schema " + writtenBy.getFullName() + " is found by its registry's number");
    }
    Resolution.require(writtenBy, schema);
    return new AvroCodec<>(contentType, schema, model, singleObject.readingAlso(writtenBy));
  }

  /**
   * The same values in the wire format of schema registries: a zero byte, the number of four bytes,
   * big-endian, and the data.
   *
   * @param number of the codec's own schema in the registry, at least 0
   * @param registry the schema of a number, or null if there is none: asked once for each number
   *     that payloads name, on the thread that reads, so it should answer from what it has loaded
   * @throws IllegalArgumentException for a negative number
   */
  public AvroCodec<T> registered(int number, IntFunction<@Nullable Schema> registry) {
    return new AvroCodec<>(
        contentType, schema, model, new Registered<>(number, registry, schema, model));
  }

  /**
   * The same form under a media type that the topic's readers expect, 1 to 200 characters; payloads
   * must name it, too, to be read.
   */
  public AvroCodec<T> withContentType(String own) {
    return new AvroCodec<>(own, schema, model, encoding);
  }

  @Override
  public String contentType() {
    return contentType;
  }

  @Override
  public Payload write(T value) {
    try {
      return Payload.of(encoding.write(value));
    } catch (IOException | AvroRuntimeException | ClassCastException | NullPointerException e) {
      throw new InvalidMessageException(
          "payload must be a " + schema.getFullName() + " of its Avro schema, found: " + said(e));
    }
  }

  @Override
  public T read(Payload payload) {
    ByteArrayInputStream bytes = new ByteArrayInputStream(payload.bytes());
    T value;
    try {
      value = encoding.read(bytes);
    } catch (UnreadablePayloadException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      // Besides its own, Avro throws what a hostile length or index leads to.
      throw unreadable(said(e), e);
    }
    if (bytes.available() > 0) {
      throw unreadable(bytes.available() + " bytes behind its end", null);
    }
    return value;
  }

  private UnreadablePayloadException unreadable(String found, @Nullable Exception cause) {
    String text = "payload must be a " + schema.getFullName() + " in Avro, found: " + found;
    return cause == null
        ? new UnreadablePayloadException(text)
        : new UnreadablePayloadException(text, cause);
  }

  private static String said(Exception e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }
}
