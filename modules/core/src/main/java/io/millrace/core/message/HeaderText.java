package io.millrace.core.message;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The headers of one message as a PostgreSQL array literal: name, value, name, value, ... (source:
 * PostgreSQL manual, "Array Input and Output Syntax"). Every element is quoted, so that an empty
 * text, a text {@code NULL}, commas and braces stay what they are.
 */
public final class HeaderText {
  private HeaderText() {}

  /** Null for no headers: the column is null then. */
  public static @Nullable String of(List<Header> headers) {
    if (headers.isEmpty()) {
      return null;
    }
    StringBuilder text = new StringBuilder("{");
    for (Header header : headers) {
      quote(text, header.name());
      quote(text, header.value());
    }
    text.setCharAt(text.length() - 1, '}');
    return text.toString();
  }

  private static void quote(StringBuilder text, String element) {
    text.append('"');
    for (int i = 0; i < element.length(); i++) {
      char c = element.charAt(i);
      if (c == '"' || c == '\\') {
        text.append('\\');
      }
      text.append(c);
    }
    text.append("\",");
  }
}
