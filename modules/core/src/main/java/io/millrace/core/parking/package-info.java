/** What is held back, and why: parked messages and the keys that they block. */
@org.jspecify.annotations.NullMarked
package io.millrace.core.parking;
