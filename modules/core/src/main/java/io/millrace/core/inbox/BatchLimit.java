package io.millrace.core.inbox;

/**
 * How many records go into one transaction. It begins small and doubles with every full batch, so
 * that a handler that needs a second for each message is not given five hundred to begin with.
 *
 * <p>A deadlock or a lock time-out halves it: batches that collide collide less when they are
 * small. So does a batch that took more than a quarter of the time that a handler has. It doubles
 * again after a while without either.
 */
public final class BatchLimit {
  /** Rows of the first batch. */
  static final int FIRST_ROWS = 16;

  /** Batches without a collision after which the limit is doubled. */
  static final int CALM_BATCHES = 20;

  private static final int TIME_SHARE = 4;

  private final int max;
  private final long limitMs;
  private int current;
  private int calm;
  private boolean isGrowing = true;

  /**
   * @param max the limit when all is well, in rows, at least 1
   * @param limitMs the time that a handler has for a batch, in milliseconds
   */
  public BatchLimit(int max, long limitMs) {
    if (max < 1) {
      throw new IllegalArgumentException("a batch has at least 1 row, found " + max);
    }
    this.max = max;
    this.limitMs = limitMs;
    this.current = Math.min(max, FIRST_ROWS);
  }

  public int rows() {
    return current;
  }

  /** A batch was undone because of a lock, or because it took too long. */
  public void collided() {
    current = Math.max(1, current / 2);
    calm = 0;
    isGrowing = false;
  }

  /**
   * A batch went through.
   *
   * @param rows how many it had
   * @param tookMs how long it took, in milliseconds
   */
  public void passed(int rows, long tookMs) {
    if (tookMs > limitMs / TIME_SHARE) {
      collided();
      return;
    }
    calm++;
    boolean isDue = isGrowing ? rows >= current : calm >= CALM_BATCHES;
    if (current < max && isDue) {
      current = Math.min(max, current * 2);
      calm = 0;
    }
  }
}
