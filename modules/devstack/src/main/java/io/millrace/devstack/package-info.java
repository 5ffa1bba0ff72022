/**
 * A real PostgreSQL and a real Kafka as child processes of this JVM, which can be killed, paused
 * and restarted, and which never outlive it.
 */
@NullMarked
package io.millrace.devstack;

import org.jspecify.annotations.NullMarked;
