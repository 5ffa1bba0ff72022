package io.millrace.inbox;

import io.millrace.core.inbox.Chain;

/**
 * Where a batch begins and ends.
 *
 * @param from where the stripe stands
 * @param to where it will stand: every record of the stripe below is done then
 * @param leaderEpoch of the last record, or as before
 */
record Position(Chain chain, int stripe, int stripeCount, long from, long to, int leaderEpoch) {}
