/** What the harness asks of a subject, which runs in a process and with a class path of its own. */
@NullMarked
package io.millrace.bench.spi;

import org.jspecify.annotations.NullMarked;
