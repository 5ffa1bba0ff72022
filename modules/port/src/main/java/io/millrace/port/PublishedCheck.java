package io.millrace.port;

import io.vertx.core.Future;
import java.util.Optional;

/** Is a slot published? The receipts answer it where Millrace relays. */
public interface PublishedCheck {
  /**
   * Asks about a slot that has been closed.
   *
   * @return empty when every message of the slot is published or parked, else the reason why not,
   *     for people
   */
  Future<Optional<String>> unpublished(int slot);
}
