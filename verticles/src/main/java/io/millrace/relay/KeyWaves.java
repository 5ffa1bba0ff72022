package io.millrace.relay;

import io.millrace.core.message.OutboxMessage;
import io.millrace.core.parking.OrderKey;
import io.millrace.port.PublishOutcome;
import io.millrace.port.PublishOutcome.Refusal;
import io.millrace.port.PublishStream;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Publishes a batch so that never more than one message of a key waits for its acknowledgement: the
 * first ones of all keys, then the second ones, and so on. A message that the broker refuses has no
 * follower on its way then.
 */
final class KeyWaves {
  private KeyWaves() {}

  static Future<PublishOutcome> publish(PublishStream stream, List<OutboxMessage> batch) {
    List<Refusal> refusals = new ArrayList<>();
    Future<?> waves = Future.succeededFuture();
    for (List<OutboxMessage> wave : waves(batch)) {
      // After a refusal the stream is broken: the waves behind it are refused unsent.
      waves =
          waves.compose(
              before ->
                  stream.publish(wave).onSuccess(outcome -> refusals.addAll(outcome.refusals())));
    }
    return waves.map(
        all -> {
          refusals.sort(Comparator.comparingLong(refusal -> refusal.message().id()));
          return new PublishOutcome(refusals);
        });
  }

  static List<List<OutboxMessage>> waves(List<OutboxMessage> batch) {
    Map<OrderKey, Integer> seen = new HashMap<>();
    List<List<OutboxMessage>> waves = new ArrayList<>();
    for (OutboxMessage message : batch) {
      int turn = seen.merge(OrderKey.of(message), 1, Integer::sum) - 1;
      if (turn == waves.size()) {
        waves.add(new ArrayList<>());
      }
      waves.get(turn).add(message);
    }
    return waves;
  }
}
