package io.millrace.postgres;

/** A migration did not come to its end. The text says why, and what to do; nothing is half done. */
public final class MigrationException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  MigrationException(String message) {
    super(message);
  }

  MigrationException(String message, Throwable cause) {
    super(message, cause);
  }
}
