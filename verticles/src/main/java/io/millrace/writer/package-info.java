/** Runs the commands that arrive over the event bus, each once, and tells the relays about it. */
@org.jspecify.annotations.NullMarked
package io.millrace.writer;
