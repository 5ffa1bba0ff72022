package io.millrace.port;

import io.millrace.core.cursor.Incarnation;
import io.millrace.core.lease.Claim;
import org.jspecify.annotations.Nullable;

/**
 * How far a shard has come with a replay since the last time.
 *
 * @param claim checked in the same transaction, under the shard's lock
 * @param incarnation in which the position was loaded
 * @param from the position that was loaded, or recorded before
 * @param position ids up to here are done
 * @param sent messages that the broker has acknowledged since
 * @param skipped messages that were refused for good, or that nobody could fill, since
 * @param notes what people are told
 */
public record ReplayProgress(
    int shard,
    Claim claim,
    Incarnation incarnation,
    long replay,
    long from,
    long position,
    int sent,
    int skipped,
    Notes notes) {

  /**
   * What people are told.
   *
   * @param skipReason why the last one skipped was; null: none was
   * @param waits why the shard does not go on; null: it does
   * @param failure why the whole replay ends here; null: it does not
   */
  public record Notes(
      @Nullable String skipReason, @Nullable String waits, @Nullable String failure) {}
}
