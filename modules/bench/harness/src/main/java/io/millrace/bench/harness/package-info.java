/**
 * {@code millrace bench}: starts servers and subjects, measures them in turn, writes the report.
 */
@NullMarked
package io.millrace.bench.harness;

import org.jspecify.annotations.NullMarked;
