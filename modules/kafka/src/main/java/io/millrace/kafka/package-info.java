/**
 * Kafka as the broker: one idempotent producer a node behind {@link io.millrace.port.Publisher},
 * with the order of every topic partition kept outside the producer too, where the producer alone
 * would lose it.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.kafka;
