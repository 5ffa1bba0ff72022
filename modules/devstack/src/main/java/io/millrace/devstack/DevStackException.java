package io.millrace.devstack;

/**
 * A server could not be unpacked, started, stopped or asked; the message says which one and, where
 * there is one, shows the end of its log.
 */
public final class DevStackException extends RuntimeException {
  public DevStackException(String message) {
    super(message);
  }

  public DevStackException(String message, Throwable cause) {
    super(message, cause);
  }
}
