package io.millrace.client;

/**
 * The command was understood and the answer is no. A command throws it or fails with it; its change
 * is rolled back, the refusal is recorded, and every repetition of the same id gets it again.
 */
public final class CommandRefused extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String code;

  /**
   * @param code for programs, such as {@code out_of_stock}
   * @param message for people
   */
  public CommandRefused(String code, String message) {
    super(message);
    this.code = code;
  }

  public String code() {
    return code;
  }
}
