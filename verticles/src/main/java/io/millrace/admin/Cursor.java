package io.millrace.admin;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Where the next page begins, in a form that nobody is tempted to make up. */
final class Cursor {
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

  private Cursor() {}

  static @Nullable String of(String kind, @Nullable Long position) {
    return position == null
        ? null
        : Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString((kind + ":" + position).getBytes(StandardCharsets.UTF_8));
  }

  /** The position; empty for what is no cursor of this kind. */
  static Optional<Long> position(String kind, String cursor) {
    try {
      String text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
      String number = text.startsWith(kind + ":") ? text.substring(kind.length() + 1) : "";
      return NUMBER.matcher(number).matches()
          ? Optional.of(Long.valueOf(number))
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
