package io.millrace.relay;

import io.millrace.core.message.OutboxMessage;
import io.millrace.core.parking.OrderKey;
import io.millrace.port.ParkedStore;
import io.vertx.core.Future;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The step of a pass between reading and publishing: which messages stand behind a parked one, and
 * what late-bound payloads hold. One lookup and one query a resolver for a whole batch.
 */
final class Screening {
  private final ParkedStore parked;
  private final ResolveStep resolve;

  /**
   * What a pass is made of.
   *
   * @param messages in id order; those that may be published need no resolver any more
   * @param blocked keys of which something is parked
   * @param hopeless messages that nobody here can fill, by id, with the reason
   */
  record Screened(List<OutboxMessage> messages, Set<OrderKey> blocked, Map<Long, String> hopeless) {
    static final Screened NOTHING = new Screened(List.of(), Set.of(), Map.of());
  }

  Screening(ParkedStore parked, ResolveStep resolve) {
    this.parked = parked;
    this.resolve = resolve;
  }

  /**
   * @param hasBlocked whether the shard may have anything parked: else nothing is looked up
   */
  Future<Screened> screen(int shard, boolean hasBlocked, List<OutboxMessage> messages) {
    return blocked(shard, hasBlocked, messages)
        .compose(
            blocked ->
                resolve
                    .resolve(messages, message -> !isIn(blocked, message))
                    .map(filled -> new Screened(filled.messages(), blocked, filled.hopeless())));
  }

  private Future<Set<OrderKey>> blocked(
      int shard, boolean hasBlocked, List<OutboxMessage> messages) {
    if (!hasBlocked || messages.isEmpty()) {
      return Future.succeededFuture(Set.of());
    }
    Set<OrderKey> keys = new HashSet<>();
    messages.forEach(message -> keys.add(OrderKey.of(message)));
    return parked.blocked(shard, keys);
  }

  private static boolean isIn(Set<OrderKey> keys, OutboxMessage message) {
    return keys.contains(OrderKey.of(message));
  }

  /** For messages that are parked: what they hold now; those that nobody can fill are left out. */
  Future<Screened> fill(List<OutboxMessage> messages) {
    return resolve
        .resolve(messages, message -> true)
        .map(filled -> new Screened(filled.messages(), Set.of(), filled.hopeless()));
  }
}
