package io.millrace.example.shop;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The statements that lie beside the classes. */
final class Sql {
  private Sql() {}

  static String read(String name) {
    try (InputStream file = Sql.class.getResourceAsStream(name)) {
      if (file == null) {
        throw new IllegalArgumentException("no statement " + name);
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
