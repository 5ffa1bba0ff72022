package io.millrace.transaction;

/** Foreign code did not complete within its limit. It may still be at work. */
public final class Overdue extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public Overdue(long limitMs) {
    super("not done within " + limitMs + " ms");
  }
}
