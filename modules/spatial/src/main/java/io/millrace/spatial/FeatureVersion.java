package io.millrace.spatial;

/**
 * How new a state of a feature is. Versions of a feature never go back, not even when it is retired
 * and comes back; a feature that is gone is newer than the same version of it that was there.
 *
 * @param version of its row; of one that is gone the last version that is known, which may be less
 *     than it had
 * @param isGone whether it is gone
 */
public record FeatureVersion(long version, boolean isGone) implements Comparable<FeatureVersion> {

  /** What a consumer has that knows nothing of a feature: older than all others. */
  public static final FeatureVersion NONE = new FeatureVersion(0, false);

  /**
   * The same order as one number, for a consumer's table: write where the stored one is less than
   * this one.
   */
  public long rank() {
    return 2 * version + (isGone ? 1 : 0);
  }

  /** From {@link #rank}. */
  public static FeatureVersion ofRank(long rank) {
    return new FeatureVersion(rank >> 1, (rank & 1) == 1);
  }

  @Override
  public int compareTo(FeatureVersion other) {
    return Long.compare(rank(), other.rank());
  }
}
