package io.millrace.core.cursor;

import io.millrace.core.message.OutboxMessage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A lane's way back into the main lane. Both stand still, without a sweep and without anything in
 * flight; one snapshot shows what is left of both up to the larger head. Published in one batch and
 * recorded in one receipt of the main lane, it makes both cursors one.
 *
 * <p>Equal heads are not enough: the two snapshots differ, and what only one of them has seen would
 * be lost.
 *
 * @param messages what is left, in id order
 * @param cursor the main lane's, once they are published or parked
 */
public record Merge(List<OutboxMessage> messages, Cursor cursor) {

  public Merge {
    messages = List.copyOf(messages);
  }

  /** What was read for one side: its cursor, and the answer to {@link Cursor#nextRead}. */
  public record Side(Cursor cursor, ReadResult result) {

    /** Whether the answer holds everything up to an id. */
    boolean reaches(long head, ReadBounds bounds) {
      boolean isLateDone = result.lateTo() >= cursor.head();
      long scanned = result.isCut(bounds) ? result.lastId() : result.newTo();
      return isLateDone && scanned >= head;
    }
  }

  /**
   * The merge of two sides that were read in the same snapshot.
   *
   * @return empty when what is left does not fit: the lane has to come nearer first
   * @throws IllegalArgumentException when a side is in a sweep, or the snapshots differ
   */
  public static Optional<Merge> of(Side main, Side lane, ReadBounds bounds) {
    if (main.cursor().sweep() != null || lane.cursor().sweep() != null) {
      throw new IllegalArgumentException("a lane in a sweep cannot merge");
    }
    if (!main.result().now().equals(lane.result().now())) {
      throw new IllegalArgumentException(
          "a merge needs one snapshot, found %s and %s"
              .formatted(main.result().now(), lane.result().now()));
    }
    long head = Math.max(main.cursor().head(), lane.cursor().head());
    if (!main.reaches(head, bounds) || !lane.reaches(head, bounds)) {
      return Optional.empty();
    }
    List<OutboxMessage> left = new ArrayList<>(main.result().messages());
    left.addAll(lane.result().messages());
    left.removeIf(message -> message.id() > head);
    left.sort(Comparator.comparingLong(OutboxMessage::id));
    return Optional.of(new Merge(left, Cursor.of(main.result().now(), head)));
  }
}
