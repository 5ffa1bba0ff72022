/**
 * Applies received messages once: ids, effects and progress of a batch in one transaction of the
 * consumer's own database.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.inbox;
