package io.millrace.client;

import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;

/** A command that got no answer. Its {@link Kind} says what the caller may do. */
public final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What kept the command from an answer. */
  public enum Kind {
    /** The request is malformed, or its id outside the window; the message names the field. */
    INVALID(1),
    /** The writer knows no command of that name; the message names those it knows. */
    UNKNOWN_COMMAND(2),
    /** The id was used before for something else; nothing was done. */
    ID_REUSED(3),
    /**
     * The command failed by itself and was rolled back, or is done and its answer cannot be read,
     * which the message says: repeating does not help by itself.
     */
    FAILED(4),
    /**
     * Nobody answered in time, or the database was away or busy: the outcome is unknown. Repeat
     * with the same command id.
     */
    UNAVAILABLE(5),
    /**
     * No node with a writer could be reached, and no attempt before may have run: nothing was done.
     */
    NO_WRITER(6);

    private final int failureCode;

    Kind(int failureCode) {
      this.failureCode = failureCode;
    }

    /** The {@link ReplyException#failureCode} with which the failure travels. */
    public int failureCode() {
      return failureCode;
    }
  }

  private final Kind kind;

  public CommandFailure(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  /** With what was reported. */
  public CommandFailure(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }

  /** Whether the same request with the same command id may succeed. */
  public boolean mayBeRepeated() {
    return kind == Kind.UNAVAILABLE || kind == Kind.NO_WRITER;
  }

  /** The last of several attempts; what an earlier one left unknown stays so. */
  CommandFailure afterAttempts(int attempts, boolean isUnknown) {
    Kind said = isUnknown ? Kind.UNAVAILABLE : kind;
    return attempts == 1 && said == kind
        ? this
        : new CommandFailure(said, getMessage() + " (after " + attempts + " attempts)", this);
  }

  /** What a failed request over the bus means; a code that is not known here leaves it unknown. */
  static CommandFailure from(Throwable failure) {
    if (failure instanceof CommandFailure known) {
      return known;
    }
    if (failure instanceof ReplyException reply
        && reply.failureType() == ReplyFailure.NO_HANDLERS) {
      return new CommandFailure(
          Kind.NO_WRITER,
          "no writer listens at " + Addresses.COMMAND + ": nothing was done",
          failure);
    }
    Kind kind = Kind.UNAVAILABLE;
    if (failure instanceof ReplyException reply
        && reply.failureType() == ReplyFailure.RECIPIENT_FAILURE) {
      for (Kind known : Kind.values()) {
        kind = known.failureCode == reply.failureCode() ? known : kind;
      }
    }
    return new CommandFailure(kind, String.valueOf(failure.getMessage()), failure);
  }
}
