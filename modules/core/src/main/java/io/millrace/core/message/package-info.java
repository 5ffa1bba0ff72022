/**
 * What a message is and which messages may exist: values and the rules that an append must keep.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.core.message;
