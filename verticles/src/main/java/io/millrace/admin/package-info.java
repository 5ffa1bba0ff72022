/**
 * Looking at a node from outside, and acting on it: the ring, shards, parked messages, replays,
 * health and metrics over HTTP, for those who may. What costs the database something is asked once,
 * however many want to know it.
 */
@NullMarked
package io.millrace.admin;

import org.jspecify.annotations.NullMarked;
