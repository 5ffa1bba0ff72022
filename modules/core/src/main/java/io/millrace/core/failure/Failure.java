package io.millrace.core.failure;

import org.jspecify.annotations.Nullable;

/** A failure whose kind an adapter has decided. The cause is what the driver or client reported. */
public final class Failure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final FailureKind kind;

  /**
   * @param kind what must be done about it
   * @param message what failed, which id, which limit, what was found
   * @param cause the original failure, or null when Millrace itself found it
   */
  public Failure(FailureKind kind, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  public FailureKind kind() {
    return kind;
  }

  /** The kind of any failure: one that no adapter has classified is a programming error. */
  public static FailureKind kindOf(Throwable failure) {
    return failure instanceof Failure known ? known.kind() : FailureKind.BROKEN;
  }
}
