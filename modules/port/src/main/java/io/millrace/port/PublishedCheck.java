package io.millrace.port;

import io.millrace.core.lease.Claim;
import io.vertx.core.Future;
import java.util.Optional;

/**
 * Is a slot published? The receipts answer it while Millrace relays, the confirmed position of the
 * replication slot while Debezium publishes.
 */
public interface PublishedCheck {
  /**
   * Asks about a slot that has been closed, and is draining. Asking may note how far the
   * replication slot must have confirmed, so it is a step of maintenance.
   *
   * @return empty when every message of the slot is published or parked, else the reason why not,
   *     for people
   */
  Future<Optional<String>> unpublished(Claim claim, int slot);
}
