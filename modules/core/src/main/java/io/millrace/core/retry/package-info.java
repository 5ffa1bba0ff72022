/** How long to wait before trying again. */
@org.jspecify.annotations.NullMarked
package io.millrace.core.retry;
