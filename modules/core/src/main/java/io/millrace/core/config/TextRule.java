package io.millrace.core.config;

import java.util.regex.Pattern;

/**
 * What a text has to look like. Judged by its characters alone: nothing is resolved or contacted.
 *
 * @param words the rule, continuing "must be"
 * @param reason why, appended to the rule; may be empty
 * @param pattern what the whole text has to match
 */
public record TextRule(String words, String reason, Pattern pattern) {

  private static final String PORT =
      "(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])";
  private static final String SERVER =
      "(?:[A-Za-z0-9._-]{1,253}|\\[[0-9A-Za-z:.%_-]{2,60}\\]):" + PORT;
  private static final String OCTET = "(?:[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])";

  /** A host name, an IPv4 or an IPv6 address. */
  static final TextRule HOST = of("a host name or an address", "[A-Za-z0-9._:%-]{1,253}");

  /** A name as PostgreSQL keeps it: longer ones would be cut off and then name something else. */
  static final TextRule DATABASE_NAME = of("a name of 1..63 characters", "\\P{Cntrl}{1,63}");

  /** The same, or none. */
  static final TextRule OPTIONAL_DATABASE_NAME =
      of("a name of 1..63 characters, or empty", "\\P{Cntrl}{0,63}");

  /** One of {@link SslMode}, or none. */
  static final TextRule OPTIONAL_SSL_MODE =
      of(
          "one of disable, prefer, require, verify-ca, verify-full, or empty",
          "(?:disable|prefer|require|verify-ca|verify-full)?");

  /** What identifies a node in logs, metrics and the database. */
  static final TextRule NODE_ID =
      of("at most 100 letters, digits and . _ : -", "[A-Za-z0-9._:-]{0,100}");

  /** Kafka's bootstrap servers. */
  static final TextRule SERVERS =
      of("host:port[,host:port...] without blanks", SERVER + "(?:," + SERVER + "){0,99}");

  /** The CloudEvents source: a URI reference, which has no blanks. */
  static final TextRule URI_REFERENCE =
      of("a URI reference of 1..200 characters without blanks", "[\\x21-\\x7e]{1,200}");

  /** An address that other machines cannot reach. */
  static final TextRule LOOPBACK =
      of(
          "a loopback address (127.0.0.0/8, ::1 or localhost)",
          "localhost|::1|127(?:\\." + OCTET + "){3}");

  /** A host name or an address, or none. */
  static final TextRule OPTIONAL_HOST =
      of("a host name or an address, or empty", "[A-Za-z0-9._:%-]{0,253}");

  /** One address of this machine, or none given: not all of them at once. */
  static final TextRule BIND_HOST =
      of(
          "a host name or an address other than 0.0.0.0 and ::, or empty",
          "(?!0+(?:\\.0+){0,3}$)(?![0:]+$)[A-Za-z0-9._:%-]{0,253}");

  /** Servers, or none. */
  static final TextRule OPTIONAL_SERVERS =
      of(
          "host:port[,host:port...] without blanks, or empty",
          "(?:" + SERVER + "(?:," + SERVER + "){0,99})?");

  /** What a cluster is called. */
  static final TextRule CLUSTER_NAME =
      of("1..100 letters, digits and . _ -", "[A-Za-z0-9._-]{1,100}");

  /** A file, or none. */
  static final TextRule FILE = of("a path, or empty", "\\P{Cntrl}{0,4000}");

  /** Files, or none. */
  static final TextRule FILES = of("paths with commas between, or empty", "\\P{Cntrl}{0,4000}");

  /** What a claim of a token has to say. */
  static final TextRule CLAIM_TEXT =
      of("a text of 1..500 characters without blanks, or empty", "[\\x21-\\x7e]{0,500}");

  /** The name of a claim. */
  static final TextRule CLAIM =
      of("a name of 1..200 characters without blanks", "[\\x21-\\x7e]{1,200}");

  boolean matches(String text) {
    return pattern.matcher(text).matches();
  }

  private static TextRule of(String words, String pattern) {
    return new TextRule(words, "", Pattern.compile(pattern));
  }
}
