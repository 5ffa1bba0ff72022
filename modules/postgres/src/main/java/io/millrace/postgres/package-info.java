/**
 * Implements the ports that speak SQL. Statements live in {@code .sql} resources, one a file;
 * {@link io.millrace.postgres.PgFailures} is the one place where an SQLSTATE becomes a kind of
 * failure.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.postgres;
