package io.millrace.inbox;

import io.millrace.core.inbox.ParkReason;

/** A message has had its attempts: it is to be parked instead of handled. */
record Verdict(ParkReason reason, String error, int attempts) {
  private static final int ERROR_CHARACTERS_MAX = 4_000;

  Verdict {
    // PostgreSQL's text holds no NUL.
    String clean = error.replace('\0', '\u2400');
    error =
        clean.length() > ERROR_CHARACTERS_MAX ? clean.substring(0, ERROR_CHARACTERS_MAX) : clean;
  }

  static Verdict of(Outcome.Blamed blamed, int attempts) {
    return new Verdict(blamed.reason(), blamed.cause().toString(), attempts);
  }
}
