/**
 * The cluster manager: a Vertx whose event bus reaches other nodes, and what this node knows of
 * them. Nothing correct rests on it.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.cluster;
