package io.millrace.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The statements of a change of indexes, for JDBC: {@code .sql} resources in {@code slotindex}. The
 * names of slots are not known beforehand, so some of them return the texts of others, quoted by
 * the server.
 */
enum SlotIndexText {
  LOCK,
  PARENT,
  MISSING,
  LEFTOVERS,
  UNDECLARED,
  IS_ATTACHED,
  OLDEST;

  private final String text = read(name().toLowerCase(Locale.ROOT));

  String text() {
    return text;
  }

  static String read(String name) {
    String resource = "slotindex/" + name + ".sql";
    try (InputStream in = SlotIndexText.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("no resource " + resource);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
