package io.millrace.client;

/**
 * Names one call to the outside, the same in every attempt.
 *
 * @param text {@code consumer:message id:step}; at most 240 characters, without spaces of its own
 * @param isRepeated whether the call was begun before and its outcome is not known
 */
public record IdempotencyKey(String text, boolean isRepeated) {}
