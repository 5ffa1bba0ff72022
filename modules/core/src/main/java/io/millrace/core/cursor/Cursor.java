package io.millrace.core.cursor;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a shard's lane has published:
 *
 * <blockquote>
 *
 * every message with {@code id <= head} that is visible in {@code seen} has been published or
 * parked, and no other.
 *
 * </blockquote>
 *
 * Message ids become visible out of order: a cursor on the id alone loses late commits. A row that
 * is invisible to a snapshot and has an id below a visible one got its transaction id before that
 * id was drawn, so "not visible in seen" finds it on the pass after its commit. An aggregate's row
 * is locked before the id is drawn, so within an aggregate id order is commit order.
 *
 * @param seen the snapshot
 * @param head the highest id scanned (rather than published: other lanes' rows must not stop it)
 * @param sweep a long late range that is being worked off, or null
 */
public record Cursor(Snapshot seen, long head, @Nullable Sweep sweep) {

  public static Cursor of(Snapshot seen, long head) {
    return new Cursor(seen, head, null);
  }

  /** The sweep under way. */
  public Optional<Sweep> sweepUnderWay() {
    return Optional.ofNullable(sweep);
  }

  /** What the next pass reads. */
  public Read nextRead(ReadBounds bounds) {
    if (sweep instanceof Sweep.Late late) {
      return new Read.Chunk(
          late.position(), Math.min(late.position() + bounds.idsMax(), head), late.target(), seen);
    }
    if (sweep instanceof Sweep.Tail tail) {
      return new Read.Chunk(head, Math.min(head + bounds.idsMax(), tail.end()), seen, null);
    }
    return new Read.Onward(seen, head);
  }

  /**
   * The cursor once the messages of a pass have been published or parked.
   *
   * @param read what {@link #nextRead} asked for
   * @param result the answer to it
   * @param bounds the bounds it was asked with
   */
  public Cursor after(Read read, ReadResult result, ReadBounds bounds) {
    return result.isCut(bounds)
        ? afterPrefix(read, result, result.lastId())
        : afterAll(read, result);
  }

  /**
   * The cursor once only the messages up to an id of the pass have been published or parked.
   *
   * @param lastId the id of one of the pass's messages
   */
  public Cursor afterPrefix(Read read, ReadResult result, long lastId) {
    if (read instanceof Read.Chunk) {
      return afterChunk(lastId);
    }
    return afterOnward(result, Math.min(lastId, result.lateTo()), lastId);
  }

  /** Whether another pass can find more right away, without anything new being committed. */
  public boolean hasMore(ReadResult result, ReadBounds bounds) {
    return sweep != null
        || result.isCut(bounds)
        || result.lateTo() < head
        || result.newTo() < result.sequence();
  }

  private Cursor afterAll(Read read, ReadResult result) {
    return read instanceof Read.Chunk chunk
        ? afterChunk(chunk.to())
        : afterOnward(result, result.lateTo(), result.newTo());
  }

  private Cursor afterOnward(ReadResult result, long lateScanned, long newScanned) {
    if (lateScanned < head) {
      return new Cursor(seen, head, new Sweep.Late(result.now(), lateScanned, result.sequence()));
    }
    return Cursor.of(result.now(), Math.max(head, newScanned));
  }

  private Cursor afterChunk(long scanned) {
    if (sweep instanceof Sweep.Late late) {
      return scanned < head
          ? new Cursor(seen, head, new Sweep.Late(late.target(), scanned, late.end()))
          : new Cursor(late.target(), head, head < late.end() ? new Sweep.Tail(late.end()) : null);
    }
    long end = sweep == null ? scanned : sweep.end();
    return new Cursor(seen, scanned, scanned < end ? new Sweep.Tail(end) : null);
  }
}
