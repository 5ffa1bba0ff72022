package io.millrace.port;

import io.millrace.core.message.OutboxMessage;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;

/** Fills late-bound payloads from the current state, one set-based query a batch. */
public interface Resolver {
  /** The name that messages give in their {@code resolver} column. */
  String name();

  /**
   * What became of the messages of a batch; each is in one of the two.
   *
   * @param messages filled, each with {@link OutboxMessage#resolved}; in any order
   * @param hopeless messages that cannot be filled, now or later, by id, with the reason for
   *     people: they are parked as dead, and their followers behind them
   */
  record Resolved(List<OutboxMessage> messages, Map<Long, String> hopeless) {
    public Resolved {
      messages = List.copyOf(messages);
      hopeless = Map.copyOf(hopeless);
    }

    /** Every one is filled. */
    public static Resolved of(List<OutboxMessage> messages) {
      return new Resolved(messages, Map.of());
    }
  }

  /**
   * Reads the current state of many aggregates at once.
   *
   * @param messages of one batch, all naming this resolver
   * @return all of them, filled or hopeless; a state that is gone by now is published as such,
   *     never skipped. Failed when nothing is known of any: the shard waits and asks again, however
   *     long
   */
  Future<Resolved> resolve(List<OutboxMessage> messages);
}
