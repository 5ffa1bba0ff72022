/**
 * Kafka as the broker: one idempotent producer a node behind {@link io.millrace.port.Publisher},
 * with the order of every topic partition kept outside the producer too, where the producer alone
 * would lose it; and consumer group members behind {@link io.millrace.port.Source}, each polling on
 * a thread of its own, that begin where they are told to and keep no position themselves.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.kafka;
