package io.millrace.bench.harness;

/** A run that cannot go on; the message is for the person who started it. */
final class BenchException extends RuntimeException {
  BenchException(String message) {
    super(message);
  }

  BenchException(String message, Throwable cause) {
    super(message, cause);
  }
}
