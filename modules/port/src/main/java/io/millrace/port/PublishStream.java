package io.millrace.port;

import io.millrace.core.message.OutboxMessage;
import io.vertx.core.Future;
import java.util.List;

/**
 * Batches of one shard on their way to the broker, in order. After the first failure the stream is
 * broken: nothing more of it is handed over, so that no later record overtakes one that is to be
 * repeated.
 */
public interface PublishStream {
  /**
   * Hands a batch over, behind the ones before it.
   *
   * @return completes, never fails, when every record of the batch has been acknowledged, refused,
   *     or not handed over
   */
  Future<PublishOutcome> publish(List<OutboxMessage> batch);

  /**
   * Hands nothing more over and completes when everything that was handed over has been answered.
   */
  Future<Void> settle();
}
