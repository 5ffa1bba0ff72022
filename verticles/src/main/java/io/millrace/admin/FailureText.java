package io.millrace.admin;

import io.millrace.core.failure.Failure;
import java.util.concurrent.TimeoutException;

/** A failure in one line for people, without a stack trace. */
final class FailureText {
  private FailureText() {}

  /**
   * The line.
   *
   * @param what the thing that failed
   * @param limitMs how long it was waited for, in milliseconds
   */
  static String of(String what, Throwable cause, long limitMs) {
    if (cause instanceof Failure failure) {
      return what + ": " + failure.getMessage();
    }
    if (cause instanceof TimeoutException) {
      return what + " did not answer within " + limitMs + " ms";
    }
    // What no adapter has classified is a programming error: its words belong in the log.
    return what + " failed: " + cause.getClass().getSimpleName();
  }
}
