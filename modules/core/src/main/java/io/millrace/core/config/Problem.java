package io.millrace.core.config;

import org.jspecify.annotations.Nullable;

/**
 * One thing that is wrong with the configuration.
 *
 * @param key the key, variable or file it is about
 * @param rule what was expected, as the end of a sentence that starts with the key
 * @param found what was there instead, fit to be shown: never a secret
 */
public record Problem(String key, String rule, String found) {

  // Enough to recognise a value; a whole file pasted into one should not fill the log.
  private static final int CHARACTERS_SHOWN_MAX = 100;

  /** A found value on one line, in quotes if it is text, "nothing" if it is null. */
  static String quote(@Nullable Object found) {
    if (found == null) {
      return "nothing";
    }
    String text = found.toString().replaceAll("\\p{Cntrl}", "?");
    String shown =
        text.length() > CHARACTERS_SHOWN_MAX
            ? text.substring(0, CHARACTERS_SHOWN_MAX) + "..."
            : text;
    return found instanceof String ? '"' + shown + '"' : shown;
  }

  @Override
  public String toString() {
    return key + " " + rule + "; found " + found;
  }
}
