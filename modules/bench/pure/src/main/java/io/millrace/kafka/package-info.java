/** Benchmarks of what the adapter for Kafka keeps to itself. */
@NullMarked
package io.millrace.kafka;

import org.jspecify.annotations.NullMarked;
