/**
 * Traces of messages, through Vert.x's own tracing interface: with any tracer that a Vert.x was
 * built with, and at no cost without one.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.client.trace;
