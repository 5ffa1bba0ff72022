package io.millrace.inbox;

/**
 * Counts the bytes of a consumer's records that wait. Belongs to the consumer's context; read for
 * metrics from any thread.
 */
final class ReadAhead {
  private final long bytesMax;
  private final Runnable whenRoom;
  private volatile long bytes;

  /**
   * @param whenRoom told when there is room again after there was none
   */
  ReadAhead(long bytesMax, Runnable whenRoom) {
    this.bytesMax = bytesMax;
    this.whenRoom = whenRoom;
  }

  boolean isFull() {
    return bytes >= bytesMax;
  }

  long bytes() {
    return bytes;
  }

  void add(long added) {
    set(bytes + added);
  }

  void release(long released) {
    boolean wasFull = isFull();
    set(bytes - released);
    if (wasFull && !isFull()) {
      whenRoom.run();
    }
  }

  private void set(long now) {
    bytes = now;
  }
}
