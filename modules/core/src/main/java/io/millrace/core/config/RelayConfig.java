package io.millrace.core.config;

import java.util.Map;

/**
 * Section {@code relay}: reading shards and publishing. Each component's unit, limits and harm
 * stand with its key.
 */
public record RelayConfig(
    boolean enabled,
    int batchRowsMax,
    long batchBytesMax,
    int idsScannedMax,
    int batchesInFlightMax,
    long bytesInFlightMax,
    long pollIntervalMinMs,
    long pollIntervalMaxMs,
    long idleReceiptIntervalMs,
    long retryDelayMinMs,
    long retryDelayMaxMs,
    long settleTimeoutMs,
    long dwellMaxMs,
    boolean strictKeyOrder,
    long topicStallAfterMs,
    long laneKeepMs) {

  /** Whether this node publishes; off on all nodes, messages are kept and the ring grows. */
  public static final BooleanKey ENABLED = new BooleanKey("relay.enabled", true);

  /**
   * Messages one pass reads and publishes. Small, and each pays for a statement and a receipt of
   * its own; large, and more is repeated after a crash.
   */
  public static final IntKey BATCH_ROWS_MAX =
      new IntKey("relay.batch_rows_max", 200, 1, 10_000, "rows");

  /** Payload bytes one pass reads; too large, and one pass fills the node's memory. */
  public static final LongKey BATCH_BYTES_MAX =
      new LongKey("relay.batch_bytes_max", 4_194_304L, 1_024, 67_108_864, "bytes");

  /**
   * Ids one pass looks at, most of which may belong to other shards or be published already. Too
   * small, and a sweep after a long transaction takes many passes; too large, and one of them keeps
   * its shard waiting.
   */
  public static final IntKey IDS_SCANNED_MAX =
      new IntKey("relay.ids_scanned_max", 100_000, 1_000, 10_000_000, "ids");

  /**
   * Batches of one shard that wait for the broker's acknowledgement. 1 waits for each and is slow
   * on a long way to the broker; many repeat more after a crash.
   */
  public static final IntKey BATCHES_IN_FLIGHT_MAX =
      new IntKey("relay.batches_in_flight_max", 4, 1, 64, "batches");

  /**
   * Bytes of all of a node's shards that wait for acknowledgement, 2,000 for each message beside
   * its payload: small messages are mostly that. Beyond the heap it lets an outage of the broker
   * end in an out-of-memory error; below one batch nothing could be sent.
   */
  public static final LongKey BYTES_IN_FLIGHT_MAX =
      new LongKey("relay.bytes_in_flight_max", 33_554_432L, 65_536, 1_073_741_824, "bytes");

  /** Pause after a pass that found something; long ones cap the throughput of a shard. */
  public static final LongKey POLL_INTERVAL_MIN_MS =
      new LongKey("relay.poll_interval_min_ms", 5L, 1, 10_000, "ms");

  /**
   * Longest pause of an idle shard. Too long, and a message that no nudge announced waits that
   * long; too short, and idle shards load the database.
   */
  public static final LongKey POLL_INTERVAL_MAX_MS =
      new LongKey("relay.poll_interval_max_ms", 500L, 1, 60_000, "ms");

  /**
   * How often an idle shard records that it is up to date. Too long, and slots stay unpublished and
   * are not truncated; too short, and idle shards write for nothing.
   */
  public static final LongKey IDLE_RECEIPT_INTERVAL_MS =
      new LongKey("relay.idle_receipt_interval_ms", 10_000L, 100, 600_000, "ms");

  /** First pause after a transient failure; too short, and a struggling server is hammered. */
  public static final LongKey RETRY_DELAY_MIN_MS =
      new LongKey("relay.retry_delay_min_ms", 100L, 1, 60_000, "ms");

  /** Longest pause after repeated failures; messages may wait that long after an outage ended. */
  public static final LongKey RETRY_DELAY_MAX_MS =
      new LongKey("relay.retry_delay_max_ms", 30_000L, 1, 600_000, "ms");

  /**
   * How long a hand-over or a stop waits for what is in flight. Too short, and what was sent is
   * discarded unsettled and sent again by the next owner; too long, and hand-overs drag.
   */
  public static final LongKey SETTLE_TIMEOUT_MS =
      new LongKey("relay.settle_timeout_ms", 10_000L, 100, 300_000, "ms");

  /**
   * The longest time that a message is expected to wait in the outbox. Consumers keep ids for that
   * much longer than their topics keep records; readiness turns red when the oldest message has
   * waited for half of it.
   */
  public static final LongKey DWELL_MAX_MS =
      new LongKey("relay.dwell_max_ms", 259_200_000L, 60_000, 2_592_000_000L, "ms");

  /**
   * Whether never more than one message of an aggregate and topic waits for its acknowledgement.
   * On, a message that only the broker can refuse has no follower ahead of it, at a cost in
   * throughput: a batch takes as many round trips as its busiest aggregate has messages. Off, such
   * followers are listed with the parked message.
   */
  public static final BooleanKey STRICT_KEY_ORDER = new BooleanKey("relay.strict_key_order", false);

  /**
   * How long a topic may leave records unanswered before it is quarantined, if the broker says that
   * it lacks a leader or in-sync replicas. Too short, and a leader change costs a lane; too long,
   * and the other topics of its shards wait as long.
   */
  public static final LongKey TOPIC_STALL_AFTER_MS =
      new LongKey("relay.topic_stall_after_ms", 60_000L, 1_000, 3_600_000, "ms");

  /**
   * How long a quarantined topic keeps its lane. A lane holds the slots of its messages; after that
   * time they are parked, and go out again when the topic works.
   */
  public static final LongKey LANE_KEEP_MS =
      new LongKey("relay.lane_keep_ms", 86_400_000L, 1_000, 2_592_000_000L, "ms");

  /**
   * @throws ConfigException if a value is outside its limits
   */
  public RelayConfig {
    new Problems()
        .check(ENABLED, enabled)
        .check(BATCH_ROWS_MAX, batchRowsMax)
        .check(BATCH_BYTES_MAX, batchBytesMax)
        .check(IDS_SCANNED_MAX, idsScannedMax)
        .check(BATCHES_IN_FLIGHT_MAX, batchesInFlightMax)
        .check(BYTES_IN_FLIGHT_MAX, bytesInFlightMax)
        .check(POLL_INTERVAL_MIN_MS, pollIntervalMinMs)
        .check(POLL_INTERVAL_MAX_MS, pollIntervalMaxMs)
        .check(IDLE_RECEIPT_INTERVAL_MS, idleReceiptIntervalMs)
        .check(RETRY_DELAY_MIN_MS, retryDelayMinMs)
        .check(RETRY_DELAY_MAX_MS, retryDelayMaxMs)
        .check(SETTLE_TIMEOUT_MS, settleTimeoutMs)
        .check(DWELL_MAX_MS, dwellMaxMs)
        .check(STRICT_KEY_ORDER, strictKeyOrder)
        .check(TOPIC_STALL_AFTER_MS, topicStallAfterMs)
        .check(LANE_KEEP_MS, laneKeepMs)
        .throwIfAny();
  }

  /** Every field at its default. */
  public static RelayConfig defaults() {
    return read(new ConfigReader(Map.of()));
  }

  /** Reads the section's keys; what is wrong stays with the reader. */
  public static RelayConfig read(ConfigReader reader) {
    return new RelayConfig(
        reader.read(ENABLED),
        reader.read(BATCH_ROWS_MAX),
        reader.read(BATCH_BYTES_MAX),
        reader.read(IDS_SCANNED_MAX),
        reader.read(BATCHES_IN_FLIGHT_MAX),
        reader.read(BYTES_IN_FLIGHT_MAX),
        reader.read(POLL_INTERVAL_MIN_MS),
        reader.read(POLL_INTERVAL_MAX_MS),
        reader.read(IDLE_RECEIPT_INTERVAL_MS),
        reader.read(RETRY_DELAY_MIN_MS),
        reader.read(RETRY_DELAY_MAX_MS),
        reader.read(SETTLE_TIMEOUT_MS),
        reader.read(DWELL_MAX_MS),
        reader.read(STRICT_KEY_ORDER),
        reader.read(TOPIC_STALL_AFTER_MS),
        reader.read(LANE_KEEP_MS));
  }

  void relate(Problems problems) {
    problems.atLeast(BYTES_IN_FLIGHT_MAX, bytesInFlightMax, BATCH_BYTES_MAX, batchBytesMax);
    problems.atLeast(
        POLL_INTERVAL_MAX_MS, pollIntervalMaxMs, POLL_INTERVAL_MIN_MS, pollIntervalMinMs);
    problems.atLeast(RETRY_DELAY_MAX_MS, retryDelayMaxMs, RETRY_DELAY_MIN_MS, retryDelayMinMs);
  }

  void printTo(Map<String, String> target) {
    ENABLED.printTo(target, enabled);
    BATCH_ROWS_MAX.printTo(target, batchRowsMax);
    BATCH_BYTES_MAX.printTo(target, batchBytesMax);
    IDS_SCANNED_MAX.printTo(target, idsScannedMax);
    BATCHES_IN_FLIGHT_MAX.printTo(target, batchesInFlightMax);
    BYTES_IN_FLIGHT_MAX.printTo(target, bytesInFlightMax);
    POLL_INTERVAL_MIN_MS.printTo(target, pollIntervalMinMs);
    POLL_INTERVAL_MAX_MS.printTo(target, pollIntervalMaxMs);
    IDLE_RECEIPT_INTERVAL_MS.printTo(target, idleReceiptIntervalMs);
    RETRY_DELAY_MIN_MS.printTo(target, retryDelayMinMs);
    RETRY_DELAY_MAX_MS.printTo(target, retryDelayMaxMs);
    SETTLE_TIMEOUT_MS.printTo(target, settleTimeoutMs);
    DWELL_MAX_MS.printTo(target, dwellMaxMs);
    STRICT_KEY_ORDER.printTo(target, strictKeyOrder);
    TOPIC_STALL_AFTER_MS.printTo(target, topicStallAfterMs);
    LANE_KEEP_MS.printTo(target, laneKeepMs);
  }
}
