package io.millrace.client;

import io.millrace.core.inbox.IdentityRule;
import java.util.List;

/**
 * A consumer: which topics it reads, and what it does with their messages.
 *
 * @param name its identity for good: ids applied, progress and parked messages go by it; 1 to
 *     {@value #NAME_CHARACTERS_MAX} of {@code a-z A-Z 0-9 . _ -}. It is the Kafka group as well
 * @param topics 1 to {@value #TOPICS_MAX} names
 * @param handler what it does; a single handler has been made one for batches
 * @param isOrdered whether a parked message blocks its key: later messages of the same key on the
 *     same topic are parked behind it
 * @param stripeCount how many transactions at most work on one topic partition at a time, the
 *     messages of one key always in one of them; 1 to {@value #STRIPES_MAX}
 * @param identity where messages carry their id, and foreign ones their time
 */
public record InboxConsumer(
    String name,
    List<String> topics,
    InboxBatchHandler handler,
    boolean isOrdered,
    int stripeCount,
    IdentityRule identity) {
  /** So that an idempotency key stays below the 255 characters that providers take. */
  public static final int NAME_CHARACTERS_MAX = 100;

  public static final int TOPICS_MAX = 100;
  public static final int STRIPES_MAX = 64;

  /**
   * @throws IllegalArgumentException naming the field, the limit and what was found
   */
  public InboxConsumer {
    topics = List.copyOf(topics);
    check(
        name.matches("[a-zA-Z0-9._-]{1," + NAME_CHARACTERS_MAX + "}"),
        "name must be 1 to "
            + NAME_CHARACTERS_MAX
            + " of a-z A-Z 0-9 . _ -, found \""
            + name
            + '"');
    check(
        !topics.isEmpty() && topics.size() <= TOPICS_MAX,
        "topics must be 1 to " + TOPICS_MAX + ", found " + topics.size());
    check(
        topics.stream().distinct().count() == topics.size(), "topics must differ, found " + topics);
    check(
        stripeCount >= 1 && stripeCount <= STRIPES_MAX,
        "stripeCount must be 1 to " + STRIPES_MAX + ", found " + stripeCount);
  }

  /** Calls the handler for each message; a parked message blocks nothing, one stripe. */
  public static InboxConsumer of(String name, List<String> topics, InboxHandler handler) {
    return ofBatches(name, topics, new OneByOne(handler));
  }

  /** Calls the handler for each batch; a parked message blocks nothing, one stripe. */
  public static InboxConsumer ofBatches(
      String name, List<String> topics, InboxBatchHandler handler) {
    return new InboxConsumer(name, topics, handler, false, 1, IdentityRule.ofMillrace());
  }

  /** The same consumer, whose parked messages block their keys. */
  public InboxConsumer ordered() {
    return new InboxConsumer(name, topics, handler, true, stripeCount, identity);
  }

  /** The same consumer with several transactions at a time for each topic partition. */
  public InboxConsumer withStripes(int count) {
    return new InboxConsumer(name, topics, handler, isOrdered, count, identity);
  }

  /** The same consumer for messages that carry their identity elsewhere. */
  public InboxConsumer withIdentity(IdentityRule rule) {
    return new InboxConsumer(name, topics, handler, isOrdered, stripeCount, rule);
  }

  private static void check(boolean holds, String rule) {
    if (!holds) {
      throw new IllegalArgumentException("consumer: " + rule);
    }
  }
}
