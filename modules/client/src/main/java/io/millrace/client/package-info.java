/**
 * What an application embeds: appending messages in its own transaction, and having commands run
 * over the event bus.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.client;
