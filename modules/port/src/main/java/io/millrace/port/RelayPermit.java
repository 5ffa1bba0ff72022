package io.millrace.port;

import io.vertx.core.Future;
import java.util.Optional;

/** May Millrace's relay publish? Not while a replication slot publishes the same outbox. */
public interface RelayPermit {
  /**
   * Looks anew.
   *
   * @return empty when the relay may publish, else why not and what to do, for people
   */
  Future<Optional<String>> refusal();
}
