package io.millrace.core.cursor;

/**
 * A PostgreSQL snapshot ({@code pg_snapshot}) in its text form {@code xmin:xmax:xip,...}. Only the
 * database interprets it; here it is carried and compared for equality.
 */
public record Snapshot(String text) {
  public Snapshot {
    if (text.isEmpty()) {
      throw new IllegalArgumentException("a snapshot's text is never empty");
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
