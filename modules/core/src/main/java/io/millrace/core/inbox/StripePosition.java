package io.millrace.core.inbox;

/**
 * The newest progress of one stripe of a chain: every record of the stripe below {@code to} is
 * done.
 *
 * @param stripe 0 to {@code stripeCount - 1}
 * @param stripeCount how many stripes the keys were spread over when it was recorded
 * @param counter rises by one with each progress of the stripe
 * @param to the offset to go on at
 * @param leaderEpoch the leader epoch of the last record done, or -1
 */
public record StripePosition(int stripe, int stripeCount, long counter, long to, int leaderEpoch) {}
