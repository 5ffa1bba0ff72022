package io.millrace.payload.avro;

import io.millrace.core.message.UnreadablePayloadException;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.IntFunction;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.message.RawMessageDecoder;
import org.apache.avro.message.RawMessageEncoder;
import org.jspecify.annotations.Nullable;

/**
 * A registry's number before the data: the wire format that the serializers of Confluent's schema
 * registry write, and those of others understand.
 */
final class Registered<T> implements Encoding<T> {
  private static final byte MARK = 0;
  private static final int HEADER_BYTES = 1 + Integer.BYTES;

  private final int number;
  private final IntFunction<@Nullable Schema> registry;
  private final Schema schema;
  private final GenericData model;
  private final RawMessageEncoder<T> encoder;

  /** As many as the registry has schemas for. */
  private final ConcurrentMap<Integer, RawMessageDecoder<T>> decoders = new ConcurrentHashMap<>();

  Registered(int number, IntFunction<@Nullable Schema> registry, Schema schema, GenericData model) {
    if (number < 0) {
      throw new IllegalArgumentException(
          "number of " + schema.getFullName() + " must be at least 0, found " + number);
    }
    this.number = number;
    this.registry = registry;
    this.schema = schema;
    this.model = model;
    this.encoder = new RawMessageEncoder<>(model, schema);
    decoders.put(number, new RawMessageDecoder<>(model, schema));
  }

  @Override
  public byte[] write(T value) throws IOException {
    ByteBuffer data = encoder.encode(value);
    byte[] bytes = new byte[HEADER_BYTES + data.remaining()];
    ByteBuffer.wrap(bytes).put(MARK).putInt(number).put(data);
    return bytes;
  }

  @Override
  public T read(InputStream bytes) throws IOException {
    DataInputStream header = new DataInputStream(bytes);
    if (bytes.available() < HEADER_BYTES) {
      throw new UnreadablePayloadException(
          "payload must begin with "
              + HEADER_BYTES
              + " bytes that name its schema, found only "
              + bytes.available());
    }
    byte mark = header.readByte();
    if (mark != MARK) {
      throw new UnreadablePayloadException(
          "payload must begin with a zero byte and the number of its schema, found %02x"
              .formatted(mark));
    }
    return decoder(header.readInt()).decode(bytes, null);
  }

  private RawMessageDecoder<T> decoder(int writtenBy) {
    RawMessageDecoder<T> known = decoders.get(writtenBy);
    if (known != null) {
      return known;
    }
    Schema writer = registry.apply(writtenBy);
    if (writer == null) {
      throw new UnreadablePayloadException(
          "payload must be written by a schema of the registry, found number " + writtenBy);
    }
    RawMessageDecoder<T> decoder = new RawMessageDecoder<>(model, writer, schema);
    decoders.put(writtenBy, decoder);
    return decoder;
  }
}
