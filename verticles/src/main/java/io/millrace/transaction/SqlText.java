package io.millrace.transaction;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** The text of a statement, which is a {@code .sql} resource beside the enum that names it. */
public final class SqlText {
  private SqlText() {}

  /**
   * Reads it.
   *
   * @param statement {@code BEGIN_COMMAND} stands for {@code statement/begin_command.sql}
   * @throws IllegalStateException if there is none
   */
  public static String of(Enum<?> statement) {
    String resource = "statement/" + statement.name().toLowerCase(Locale.ROOT) + ".sql";
    try (InputStream in = statement.getDeclaringClass().getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("no resource " + resource);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
