/**
 * What the verticles need from the outside, as interfaces that return Future. An adapter completes
 * every Future on the context that called it, with a classified {@link
 * io.millrace.core.failure.Failure} when it fails, and never throws.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.port;
