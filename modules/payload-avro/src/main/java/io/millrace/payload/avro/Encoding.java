package io.millrace.payload.avro;

import java.io.IOException;
import java.io.InputStream;

/** How a payload names the schema that its data was written by. May be used by any thread. */
interface Encoding<T> {

  byte[] write(T value) throws IOException;

  /** Reads no further than the value's end. */
  T read(InputStream bytes) throws IOException;
}
