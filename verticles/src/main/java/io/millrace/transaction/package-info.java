/** Transactions in which foreign code runs: their ends, and the bounds of such a call. */
@org.jspecify.annotations.NullMarked
package io.millrace.transaction;
