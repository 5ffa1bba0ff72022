package io.millrace.example.payment;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Reads SQL that lies beside a class. */
public final class SqlFile {
  private SqlFile() {}

  static String read(String name) {
    return read(SqlFile.class, name);
  }

  /**
   * The text of a file in the class's package.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static String read(Class<?> beside, String name) {
    try (InputStream file = beside.getResourceAsStream(name)) {
      if (file == null) {
        throw new IllegalArgumentException("no " + name + " beside " + beside.getName());
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
