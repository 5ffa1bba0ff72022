package io.millrace.core.config;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Section {@code inbox}: applying received messages once. Each component's unit, limits and harm
 * stand with its key.
 */
public record InboxConfig(
    boolean enabled,
    StartAt startAt,
    int batchRowsMax,
    long batchBytesMax,
    int bufferRowsMax,
    long bufferBytesMax,
    long handlerTimeoutMs,
    long lockTimeoutMs,
    int attemptsMax,
    long retryDelayMinMs,
    long retryDelayMaxMs,
    long settleTimeoutMs,
    int retentionDays,
    int bucketsAhead,
    RetentionCheck retentionCheck,
    long retentionCheckIntervalMs,
    long topicCheckIntervalMs,
    Map<String, String> properties) {

  /**
   * Whether this node runs the consumers that its application brings; off on all nodes, records
   * wait in their topics until these expire.
   */
  public static final BooleanKey ENABLED = new BooleanKey("inbox.enabled", true);

  /**
   * Where a consumer begins that has never read a topic. Ignored once it has progress, and for a
   * topic that was made anew, which is read from its beginning.
   */
  public static final ChoiceKey<StartAt> START_AT =
      new ChoiceKey<>("inbox.start_at", StartAt.BEGINNING, List.of(StartAt.values()));

  /**
   * Messages one transaction applies. Small, and each pays for a commit of its own; large, and more
   * is repeated after a failure and locks are held for longer.
   */
  public static final IntKey BATCH_ROWS_MAX =
      new IntKey("inbox.batch_rows_max", 500, 1, 10_000, "rows");

  /** Keys, payloads and headers one transaction applies; one message alone may be larger. */
  public static final LongKey BATCH_BYTES_MAX =
      new LongKey("inbox.batch_bytes_max", 4_194_304L, 1_024, 67_108_864, "bytes");

  /**
   * Records of one topic partition that wait for their transaction; then it is paused. Small, and
   * the consumer waits for the broker between batches; large, and more is fetched again after a
   * hand-over.
   */
  public static final IntKey BUFFER_ROWS_MAX =
      new IntKey("inbox.buffer_rows_max", 2_000, 1, 100_000, "rows");

  /**
   * Records of one consumer that wait for their transaction, all topic partitions together; one
   * fetch may exceed it. Beyond the heap a slow database ends in an out-of-memory error.
   */
  public static final LongKey BUFFER_BYTES_MAX =
      new LongKey("inbox.buffer_bytes_max", 67_108_864L, 65_536, 1_073_741_824, "bytes");

  /**
   * Longest run of a handler for one batch; then its session is ended and its effects are undone.
   * Too short, and slow messages are parked; too long, and one that never completes holds up its
   * topic partition.
   */
  public static final LongKey HANDLER_TIMEOUT_MS =
      new LongKey("inbox.handler_timeout_ms", 30_000L, 100, 600_000, "ms");

  /**
   * Longest wait of a consumer's transaction for a lock; then it is undone and tried again, with
   * smaller batches for a while.
   */
  public static final LongKey LOCK_TIMEOUT_MS =
      new LongKey("inbox.lock_timeout_ms", 5_000L, 10, 60_000, "ms");

  /**
   * How often a message is tried whose handler fails for a reason of its own; then it is parked.
   * Outages and conflicts in the database do not count.
   */
  public static final IntKey ATTEMPTS_MAX =
      new IntKey("inbox.attempts_max", 5, 1, 1_000, "attempts");

  /** First pause after a failure; too short, and a struggling server is hammered. */
  public static final LongKey RETRY_DELAY_MIN_MS =
      new LongKey("inbox.retry_delay_min_ms", 100L, 1, 60_000, "ms");

  /** Longest pause after repeated failures; messages may wait that long after an outage ended. */
  public static final LongKey RETRY_DELAY_MAX_MS =
      new LongKey("inbox.retry_delay_max_ms", 30_000L, 1, 600_000, "ms");

  /**
   * How long a hand-over of a topic partition or a stop waits for running handlers. Too short, and
   * their work is done twice, the second time without effect; it must stay well below the member's
   * max.poll.interval.ms.
   */
  public static final LongKey SETTLE_TIMEOUT_MS =
      new LongKey("inbox.settle_timeout_ms", 10_000L, 100, 120_000, "ms");

  /**
   * How long ids are kept after the message's own time, to recognise repeats. Shorter than a topic
   * and the outbox may hold a message back, and late repeats are parked instead of recognised.
   */
  public static final IntKey RETENTION_DAYS =
      new IntKey("inbox.retention_days", 30, 1, 1_000, "days");

  /**
   * Buckets made before they are needed. Consumers stand still when maintenance is away for longer;
   * messages further in the future are parked.
   */
  public static final IntKey BUCKETS_AHEAD = new IntKey("inbox.buckets_ahead", 3, 2, 60, "buckets");

  /** What happens when ids are not kept for as long as the topics may bring a message again. */
  public static final ChoiceKey<RetentionCheck> RETENTION_CHECK =
      new ChoiceKey<>(
          "inbox.retention_check", RetentionCheck.REFUSE, List.of(RetentionCheck.values()));

  /** How often the topics' settings are compared with the retention of ids. */
  public static final LongKey RETENTION_CHECK_INTERVAL_MS =
      new LongKey("inbox.retention_check_interval_ms", 3_600_000L, 1_000, 86_400_000, "ms");

  /** How often it is asked whether a topic was made anew; so long may its first records wait. */
  public static final LongKey TOPIC_CHECK_INTERVAL_MS =
      new LongKey("inbox.topic_check_interval_ms", 10_000L, 100, 600_000, "ms");

  /**
   * Further properties of the Kafka consumer (group.protocol, max.poll.records, fetch.max.bytes,
   * ...); those of kafka.properties that concern connections hold as well. What exactly-once rests
   * on is refused; a name that the client does not know has no effect.
   */
  public static final TextMapKey PROPERTIES =
      new TextMapKey(
          "inbox.properties",
          "Kafka consumer properties by name, each a text, number or boolean",
          ConsumerProperty::refusal,
          ProducerProperty::isSecret);

  // Each bucket is a table, which every claim's plan and every status page has to look at.
  private static final int BUCKETS_MAX = 1_000;

  /** Where to begin. */
  public enum StartAt {
    /** With the oldest record that there is. */
    BEGINNING,
    /** With the next record that is written. */
    END
  }

  /** What to do about a retention that is too short. */
  public enum RetentionCheck {
    /** The consumer does not start. */
    REFUSE,
    /** It starts with a warning: what falls outside is parked. */
    WARN
  }

  /**
   * @throws ConfigException if a value is outside its limits or a property is refused
   */
  public InboxConfig {
    properties = Map.copyOf(properties);
    new Problems()
        .check(ENABLED, enabled)
        .check(START_AT, startAt)
        .check(BATCH_ROWS_MAX, batchRowsMax)
        .check(BATCH_BYTES_MAX, batchBytesMax)
        .check(BUFFER_ROWS_MAX, bufferRowsMax)
        .check(BUFFER_BYTES_MAX, bufferBytesMax)
        .check(HANDLER_TIMEOUT_MS, handlerTimeoutMs)
        .check(LOCK_TIMEOUT_MS, lockTimeoutMs)
        .check(ATTEMPTS_MAX, attemptsMax)
        .check(RETRY_DELAY_MIN_MS, retryDelayMinMs)
        .check(RETRY_DELAY_MAX_MS, retryDelayMaxMs)
        .check(SETTLE_TIMEOUT_MS, settleTimeoutMs)
        .check(RETENTION_DAYS, retentionDays)
        .check(BUCKETS_AHEAD, bucketsAhead)
        .check(RETENTION_CHECK, retentionCheck)
        .check(RETENTION_CHECK_INTERVAL_MS, retentionCheckIntervalMs)
        .check(TOPIC_CHECK_INTERVAL_MS, topicCheckIntervalMs)
        .check(PROPERTIES, properties)
        .throwIfAny();
  }

  /** Every field at its default. */
  public static InboxConfig defaults() {
    return read(new ConfigReader(Map.of()));
  }

  /** Reads the section's keys; what is wrong stays with the reader. */
  public static InboxConfig read(ConfigReader reader) {
    return new InboxConfig(
        reader.read(ENABLED),
        reader.read(START_AT),
        reader.read(BATCH_ROWS_MAX),
        reader.read(BATCH_BYTES_MAX),
        reader.read(BUFFER_ROWS_MAX),
        reader.read(BUFFER_BYTES_MAX),
        reader.read(HANDLER_TIMEOUT_MS),
        reader.read(LOCK_TIMEOUT_MS),
        reader.read(ATTEMPTS_MAX),
        reader.read(RETRY_DELAY_MIN_MS),
        reader.read(RETRY_DELAY_MAX_MS),
        reader.read(SETTLE_TIMEOUT_MS),
        reader.read(RETENTION_DAYS),
        reader.read(BUCKETS_AHEAD),
        reader.read(RETENTION_CHECK),
        reader.read(RETENTION_CHECK_INTERVAL_MS),
        reader.read(TOPIC_CHECK_INTERVAL_MS),
        reader.read(PROPERTIES));
  }

  /** How long ids are kept, in milliseconds. */
  public long retentionMs() {
    return TimeUnit.DAYS.toMillis(retentionDays);
  }

  /** Masks the properties whose names speak of secrets. */
  @Override
  public String toString() {
    return "InboxConfig[properties=" + PROPERTIES.print(properties) + ", ...]";
  }

  void relate(Problems problems, SchemaConfig schema) {
    long days = (long) BUCKETS_MAX * schema.inboxBucketHours() / TimeUnit.DAYS.toHours(1);
    problems.relate(
        retentionDays <= days,
        RETENTION_DAYS,
        retentionDays,
        SchemaConfig.INBOX_BUCKET_HOURS,
        "must be at most %d with schema.inbox_bucket_hours = %d, which makes %d buckets"
            .formatted(days, schema.inboxBucketHours(), BUCKETS_MAX));
    problems.atLeast(RETRY_DELAY_MAX_MS, retryDelayMaxMs, RETRY_DELAY_MIN_MS, retryDelayMinMs);
    problems.atLeast(BUFFER_ROWS_MAX, bufferRowsMax, BATCH_ROWS_MAX, batchRowsMax);
  }

  void printTo(Map<String, String> target) {
    ENABLED.printTo(target, enabled);
    START_AT.printTo(target, startAt);
    BATCH_ROWS_MAX.printTo(target, batchRowsMax);
    BATCH_BYTES_MAX.printTo(target, batchBytesMax);
    BUFFER_ROWS_MAX.printTo(target, bufferRowsMax);
    BUFFER_BYTES_MAX.printTo(target, bufferBytesMax);
    HANDLER_TIMEOUT_MS.printTo(target, handlerTimeoutMs);
    LOCK_TIMEOUT_MS.printTo(target, lockTimeoutMs);
    ATTEMPTS_MAX.printTo(target, attemptsMax);
    RETRY_DELAY_MIN_MS.printTo(target, retryDelayMinMs);
    RETRY_DELAY_MAX_MS.printTo(target, retryDelayMaxMs);
    SETTLE_TIMEOUT_MS.printTo(target, settleTimeoutMs);
    RETENTION_DAYS.printTo(target, retentionDays);
    BUCKETS_AHEAD.printTo(target, bucketsAhead);
    RETENTION_CHECK.printTo(target, retentionCheck);
    RETENTION_CHECK_INTERVAL_MS.printTo(target, retentionCheckIntervalMs);
    TOPIC_CHECK_INTERVAL_MS.printTo(target, topicCheckIntervalMs);
    PROPERTIES.printTo(target, properties);
  }
}
