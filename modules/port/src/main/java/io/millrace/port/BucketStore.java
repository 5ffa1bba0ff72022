package io.millrace.port;

import io.millrace.core.inbox.BucketStep;
import io.millrace.core.inbox.BucketView;
import io.millrace.core.lease.Claim;
import io.vertx.core.Future;
import java.util.Optional;

/**
 * The maintenance of the inbox's buckets and of the lists of progress: every step is a transaction
 * that holds the lock which a take-over must take.
 */
public interface BucketStore {
  Future<BucketView> view();

  /**
   * Does one step.
   *
   * @return empty when it was done, else why it was postponed, for people
   */
  Future<Optional<String>> step(Claim claim, BucketStep step);

  /** Turns and empties the lists of progress when they are due. */
  Future<Void> rotateProgress(Claim claim);
}
