/**
 * Runs Debezium's connector in a process of its own, for tests: as Kafka Connect would, and to be
 * killed.
 */
@NullMarked
package io.millrace.debezium.engine;

import org.jspecify.annotations.NullMarked;
