package io.millrace.core.config;

import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Section {@code schema}: what the database schema is laid with. Each component's unit, limits and
 * harm stand with its key.
 */
public record SchemaConfig(int shardCount, int payloadBytesMax, int inboxBucketHours) {

  /**
   * Fixed hash slots of aggregates. Fixed when the schema is laid and verified at every start: with
   * another number an aggregate would move to another shard and lose its order, so the node refuses
   * to start. Fewer shards than nodes leave nodes idle; many cost a pass each.
   */
  public static final IntKey SHARD_COUNT = new IntKey("schema.shard_count", 32, 1, 1024, "shards");

  /**
   * Largest payload that can be appended. Above what the topics accept (max.message.bytes less
   * headers) a message is committed first and refused by the broker later, and ends parked; too
   * small, and the business transaction that appends a larger one fails.
   */
  public static final IntKey PAYLOAD_BYTES_MAX =
      new IntKey("schema.payload_bytes_max", 1_000_000, 1, 16_000_000, "bytes");

  /**
   * The width of an inbox bucket. Fixed when the schema is laid and verified at every start: with
   * another width a repeat would look for its id in another bucket. Narrow, and there are many
   * buckets to look after; wide, and each goes late.
   */
  public static final IntKey INBOX_BUCKET_HOURS =
      new IntKey("schema.inbox_bucket_hours", 24, 1, 24, "hours");

  /**
   * @throws ConfigException if a value is outside its limits
   */
  public SchemaConfig {
    new Problems()
        .check(SHARD_COUNT, shardCount)
        .check(PAYLOAD_BYTES_MAX, payloadBytesMax)
        .check(INBOX_BUCKET_HOURS, inboxBucketHours)
        .throwIfAny();
  }

  /** Every field at its default. */
  public static SchemaConfig defaults() {
    return read(new ConfigReader(Map.of()));
  }

  /** Reads the section's keys; what is wrong stays with the reader. */
  public static SchemaConfig read(ConfigReader reader) {
    return new SchemaConfig(
        reader.read(SHARD_COUNT), reader.read(PAYLOAD_BYTES_MAX), reader.read(INBOX_BUCKET_HOURS));
  }

  /** The width of an inbox bucket, in milliseconds. */
  public long inboxBucketMs() {
    return TimeUnit.HOURS.toMillis(inboxBucketHours);
  }

  void printTo(Map<String, String> target) {
    SHARD_COUNT.printTo(target, shardCount);
    PAYLOAD_BYTES_MAX.printTo(target, payloadBytesMax);
    INBOX_BUCKET_HOURS.printTo(target, inboxBucketHours);
  }
}
