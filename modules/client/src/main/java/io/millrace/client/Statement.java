package io.millrace.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Every statement of this module, each the text of a {@code .sql} resource of the same name. */
enum Statement {
  APPEND,
  APPEND_ONE,
  NEXT_REVISION,
  PUBLISHED,
  APPLIED;

  private final String text;

  Statement() {
    String resource = "statement/" + name().toLowerCase(Locale.ROOT) + ".sql";
    try (InputStream in = Statement.class.getResourceAsStream(resource)) {
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
