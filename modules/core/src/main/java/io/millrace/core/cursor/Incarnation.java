package io.millrace.core.cursor;

/**
 * One life of the database server. After a crash that undid asynchronous commits, transaction ids
 * and message ids are issued again, and a cursor from before would skip durable messages; so a
 * cursor belongs to the incarnation in which it was loaded, and whatever meets another one is void.
 *
 * @param text the marker with system identifier, database oid and start time; empty when the server
 *     has none yet
 */
public record Incarnation(String text) {
  public static final Incarnation NONE = new Incarnation("");

  /** Whether both are the same life. An absent marker equals nothing, itself included. */
  public boolean isSameAs(Incarnation other) {
    return !text.isEmpty() && text.equals(other.text);
  }
}
