package io.millrace.payload.avro;

import io.millrace.core.message.UnreadablePayloadException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.message.BadHeaderException;
import org.apache.avro.message.BinaryMessageDecoder;
import org.apache.avro.message.BinaryMessageEncoder;
import org.apache.avro.message.MissingSchemaException;

/**
 * Two marker bytes and the schema's CRC-64-AVRO fingerprint before the data (Avro specification,
 * "Single-object encoding").
 */
final class SingleObject<T> implements Encoding<T> {
  private final Schema schema;
  private final GenericData model;
  private final List<Schema> others;
  private final BinaryMessageEncoder<T> encoder;
  private final BinaryMessageDecoder<T> decoder;

  SingleObject(Schema schema, GenericData model) {
    this(schema, model, List.of());
  }

  private SingleObject(Schema schema, GenericData model, List<Schema> others) {
    this.schema = schema;
    this.model = model;
    this.others = others;
    this.encoder = new BinaryMessageEncoder<>(model, schema);
    this.decoder = new BinaryMessageDecoder<>(model, schema);
    others.forEach(decoder::addSchema);
  }

  SingleObject<T> readingAlso(Schema writtenBy) {
    List<Schema> more = Stream.concat(others.stream(), Stream.of(writtenBy)).toList();
    return new SingleObject<>(schema, model, more);
  }

  @Override
  public byte[] write(T value) throws IOException {
    ByteBuffer buffer = encoder.encode(value);
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  @Override
  public T read(InputStream bytes) throws IOException {
    try {
      return decoder.decode(bytes, null);
    } catch (MissingSchemaException e) {
      throw new UnreadablePayloadException(
          "payload must be written by a schema that the reader of "
              + schema.getFullName()
              + " was given, found: "
              + e.getMessage(),
          e);
    } catch (BadHeaderException e) {
      throw new UnreadablePayloadException(
          "payload must be Avro in single-object encoding, found: " + e.getMessage(), e);
    }
  }
}
