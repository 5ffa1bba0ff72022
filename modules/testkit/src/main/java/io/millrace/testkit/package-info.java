/**
 * What Millrace promises, as checks: a history of what was committed and what was delivered, and
 * one class an invariant. Applications test with it too.
 */
@org.jspecify.annotations.NullMarked
package io.millrace.testkit;
