/**
 * Outbox and inbox on JDBC connections, in transactions that the application begins and ends, by
 * whichever framework or pool. No Vert.x, and no driver but through {@code java.sql}.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.jdbc;
