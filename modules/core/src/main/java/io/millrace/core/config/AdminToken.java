package io.millrace.core.config;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An entry of {@code admin.tokens}: a role, a colon and the token itself.
 *
 * @param role what whoever shows the token may do
 * @param token at least 32 characters of those that RFC 6750 allows in a bearer token
 */
public record AdminToken(AdminRole role, Secret token) {
  static final String SUMMARY =
      "tokens by the name of who has it, each viewer:TOKEN or operator:TOKEN, TOKEN 32..256"
          + " characters of A-Z a-z 0-9 - . _ ~ + / =";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._@-]{1,100}");
  private static final Pattern ENTRY =
      Pattern.compile("(viewer|operator):([A-Za-z0-9._~+/=-]{32,256})");

  /**
   * Reads an entry.
   *
   * @throws IllegalArgumentException if it has not the form; the text is not shown
   */
  public static AdminToken parse(String entry) {
    Matcher matcher = ENTRY.matcher(entry);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("an admin token must be viewer:TOKEN or operator:TOKEN");
    }
    AdminRole role = AdminRole.valueOf(matcher.group(1).toUpperCase(Locale.ROOT));
    return new AdminToken(role, Secret.of(matcher.group(2)));
  }

  /** The rule that an entry breaks; empty if it may be used. */
  static Optional<String> refusal(String name, String entry) {
    if (!NAME.matcher(name).matches()) {
      return Optional.of("must be named by 1 to 100 letters, digits and . _ @ -");
    }
    return ENTRY.matcher(entry).matches()
        ? Optional.empty()
        : Optional.of(
            "must be viewer: or operator: and a token of 32 to 256 characters of A-Z a-z 0-9 - . _"
                + " ~ + / =, because a shorter one can be guessed");
  }
}
