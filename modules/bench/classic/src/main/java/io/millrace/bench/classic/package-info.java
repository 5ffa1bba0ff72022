/** The classic relay: one table, a partial index, rows that are locked, published and marked. */
@NullMarked
package io.millrace.bench.classic;

import org.jspecify.annotations.NullMarked;
