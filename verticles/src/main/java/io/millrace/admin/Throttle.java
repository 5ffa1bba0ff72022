package io.millrace.admin;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A token bucket for each of the names that were seen last, {@value #NAMES_MAX} at most: a name
 * that is forgotten begins with a full bucket again. For one context.
 */
final class Throttle {
  static final int NAMES_MAX = 10_000;

  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

  private final double size;
  private final double perSecond;
  private final LongSupplier nanos;
  private final Map<String, Bucket> buckets =
      new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
          return size() > NAMES_MAX;
        }
      };

  private static final class Bucket {
    private double left;
    private long at;

    Bucket(double left, long at) {
      this.left = left;
      this.at = at;
    }
  }

  /**
   * @param size how many a name may take at once, at least 1
   * @param perSecond how many come back in a second, above 0
   * @param nanos a clock that never goes back, in nanoseconds
   */
  Throttle(double size, double perSecond, LongSupplier nanos) {
    this.size = size;
    this.perSecond = perSecond;
    this.nanos = nanos;
  }

  /** Takes one if there is one left; whether there was. */
  boolean take(String name) {
    Bucket bucket = refilled(name);
    if (bucket.left < 1) {
      return false;
    }
    bucket.left--;
    return true;
  }

  /** Whether {@link #take} would find one. */
  boolean hasLeft(String name) {
    return refilled(name).left >= 1;
  }

  /** Whole seconds until there is one again, at least 1. */
  long secondsUntilNext(String name) {
    return Math.max(1, (long) Math.ceil((1 - refilled(name).left) / perSecond));
  }

  int names() {
    return buckets.size();
  }

  private Bucket refilled(String name) {
    long now = nanos.getAsLong();
    Bucket bucket = buckets.computeIfAbsent(name, first -> new Bucket(size, now));
    double back = (now - bucket.at) / NANOS_PER_SECOND * perSecond;
    bucket.left = Math.min(size, bucket.left + back);
    bucket.at = now;
    return bucket;
  }
}
