package io.millrace.port;

import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** Publishes to the broker, idempotently and with acknowledgement by all in-sync replicas. */
public interface Publisher {
  /**
   * A stream of batches whose order is kept. One a shard and claim.
   *
   * @param mayHandOver asked before anything is handed to the producer, on the calling context;
   *     false: the owner's lease is over
   */
  PublishStream open(BooleanSupplier mayHandOver);

  /** Whether a topic can be published to, as far as the broker tells; fails with the reason. */
  Future<Void> probe(String topic);

  /**
   * Which of some topics cannot take records now, as the broker tells: it is missing or forbidden,
   * or a topic partition has no leader, or fewer in-sync replicas than it needs. Empty when no
   * known topic is well: then it is the brokers that are ailing, and no topic is to blame.
   *
   * @return what is wrong, by topic; fails when the broker does not answer
   */
  Future<Map<String, Ailment>> ailing(List<String> topics);

  /**
   * What keeps a topic from taking records.
   *
   * @param isGone missing or forbidden; false: it may come back by itself in a moment
   */
  record Ailment(boolean isGone, String reason) {}

  /**
   * Drops everything that is not settled and starts with a fresh producer. Every stream breaks;
   * what was in flight may or may not have arrived.
   */
  Future<Void> discard();

  Future<Void> close();
}
