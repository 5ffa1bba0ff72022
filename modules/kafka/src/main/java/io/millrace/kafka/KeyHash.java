package io.millrace.kafka;

import org.apache.kafka.common.utils.Utils;

/**
 * The topic partition of a key, the same that every Kafka producer with the default partitioner
 * chooses (murmur2 of the key's bytes), so that Millrace and other producers of a topic agree. When
 * a topic gets more partitions, keys move: as everywhere in Kafka, a key's order holds within one
 * number of partitions.
 */
final class KeyHash {
  private KeyHash() {}

  /**
   * The topic partition that every record with this key goes to.
   *
   * @param partitions at least 1
   * @return from 0 to partitions - 1
   */
  static int topicPartition(byte[] key, int partitions) {
    return Utils.toPositive(Utils.murmur2(key)) % partitions;
  }
}
