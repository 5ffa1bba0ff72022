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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Publishes a batch so that never more than one message of a key waits for its acknowledgement: the
 * first ones of all keys, then the second ones, and so on. A message that the broker refuses has no
 * follower on its way then.
 */
final class KeyWaves {
  private KeyWaves() {}

  static Future<PublishOutcome> publish(PublishStream stream, List<OutboxMessage> batch) {
    return publishAll(stream, waves(batch));
  }

  /**
   * As {@link #publish}, but only the first ones of all keys go before the others: of messages that
   * stand behind a refused one, that one is the most likely to be refused again.
   */
  static Future<PublishOutcome> publishFirstOnesFirst(
      PublishStream stream, List<OutboxMessage> batch) {
    List<OutboxMessage> first = waves(batch).get(0);
    Set<Long> sent = new HashSet<>();
    first.forEach(message -> sent.add(message.id()));
    List<OutboxMessage> others = batch.stream().filter(m -> !sent.contains(m.id())).toList();
    return publishAll(stream, others.isEmpty() ? List.of(first) : List.of(first, others));
  }

  private static Future<PublishOutcome> publishAll(
      PublishStream stream, List<List<OutboxMessage>> inTurn) {
    List<Refusal> refusals = new ArrayList<>();
    Future<?> waves = Future.succeededFuture();
    for (List<OutboxMessage> wave : inTurn) {
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
