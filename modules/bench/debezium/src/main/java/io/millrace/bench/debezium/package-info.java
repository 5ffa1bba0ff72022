/** Debezium's embedded engine with its outbox event router. */
@NullMarked
package io.millrace.bench.debezium;

import org.jspecify.annotations.NullMarked;
