package io.millrace.port;

import io.millrace.core.inbox.TopicSettings;
import io.vertx.core.Future;
import java.util.Optional;

/** Asks the broker about topics. */
public interface TopicReader {

  /**
   * Reads a topic's settings, those that it has from the broker's defaults too.
   *
   * @return empty when there is no such topic; fails with a {@link
   *     io.millrace.core.failure.Failure} when the broker does not answer or forbids it
   */
  Future<Optional<TopicSettings>> settings(String topic);

  Future<Void> close();
}
