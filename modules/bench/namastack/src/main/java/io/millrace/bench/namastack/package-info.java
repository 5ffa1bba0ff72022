/** Namastack Outbox for Spring Boot, with a handler that sends a message to Kafka. */
@NullMarked
package io.millrace.bench.namastack;

import org.jspecify.annotations.NullMarked;
