/** What the broker and the database alone can do in the same run. */
@NullMarked
package io.millrace.bench.limits;

import org.jspecify.annotations.NullMarked;
