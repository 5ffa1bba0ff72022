package io.millrace.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Every statement of this module, each the text of a {@code .sql} resource of the same name. */
enum SqlText {
  APPEND,
  APPEND_ONE,
  NEXT_REVISION,
  INBOX_CLAIM;

  private final String text;

  SqlText() {
    String resource = "statement/" + name().toLowerCase(Locale.ROOT) + ".sql";
    try (InputStream in = SqlText.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("no resource " + resource);
      }
      text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String text() {
    return text;
  }
}
