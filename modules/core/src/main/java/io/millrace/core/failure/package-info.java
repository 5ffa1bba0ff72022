/** The kinds of failure, by what must be done about them. */
@org.jspecify.annotations.NullMarked
package io.millrace.core.failure;
