/**
 * Looking at a node from outside: the ring, the shards, health and metrics over HTTP, read-only and
 * on loopback. What costs the database something is asked once, however many want to know it.
 */
@NullMarked
package io.millrace.admin;

import org.jspecify.annotations.NullMarked;
