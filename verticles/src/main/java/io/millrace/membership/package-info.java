/**
 * A verticle's membership in the installation: its heartbeat, its own lease, and what it believes
 * about others.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.membership;
