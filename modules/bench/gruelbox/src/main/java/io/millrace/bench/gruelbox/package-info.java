/** Gruelbox transaction-outbox, with an invocation that sends a message to Kafka. */
@NullMarked
package io.millrace.bench.gruelbox;

import org.jspecify.annotations.NullMarked;
