package io.millrace.kafka;

/**
 * What must be known of a topic before anything is handed over.
 *
 * @param partitions topic partitions, at least 1
 * @param bytesMax its {@code max.message.bytes}, or {@link #UNKNOWN_BYTES}
 */
record TopicFacts(int partitions, long bytesMax) {
  static final long UNKNOWN_BYTES = Long.MAX_VALUE;
}
