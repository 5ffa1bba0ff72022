/** Millrace as an application embeds it, with the configuration that it has by default. */
@NullMarked
package io.millrace.bench.millrace;

import org.jspecify.annotations.NullMarked;
