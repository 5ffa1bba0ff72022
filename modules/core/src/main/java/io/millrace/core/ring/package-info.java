/** The outbox ring: the states of its slots, and the next step of maintenance. */
@org.jspecify.annotations.NullMarked
package io.millrace.core.ring;
