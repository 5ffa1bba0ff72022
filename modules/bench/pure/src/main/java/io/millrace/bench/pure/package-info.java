/**
 * What runs for every message or pass and needs no server, measured by JMH. Hashing an aggregate to
 * its shard and a message to its bucket is not here: the database does it.
 */
@NullMarked
package io.millrace.bench.pure;

import org.jspecify.annotations.NullMarked;
