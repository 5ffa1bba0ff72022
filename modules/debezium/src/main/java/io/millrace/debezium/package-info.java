/**
 * What Debezium's outbox event router cannot do by itself: with it, records that Debezium publishes
 * are those that Millrace's relay would publish. Runs inside Kafka Connect, Debezium Server or an
 * embedded engine, and needs nothing of Millrace.
 */
@NullMarked
package io.millrace.debezium;

import org.jspecify.annotations.NullMarked;
