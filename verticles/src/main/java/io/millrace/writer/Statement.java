package io.millrace.writer;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Every statement of this package, each the text of a {@code .sql} resource of the same name. */
enum Statement {
  BEGIN,
  LIMIT_TRANSACTION,
  BEGIN_COMMAND,
  SET_SAVEPOINT,
  RELEASE_SAVEPOINT,
  ROLLBACK_TO_SAVEPOINT,
  FINISH_COMMAND,
  COMMIT,
  ROLLBACK,
  END_SESSION;

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
