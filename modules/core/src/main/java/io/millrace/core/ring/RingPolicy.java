package io.millrace.core.ring;

/**
 * When the ring turns, grows and is cleaned.
 *
 * @param slotsMax attached slots at most: the cost of a pass grows with them, so slots grow instead
 * @param freeSlotsMin free slots kept ahead of need
 * @param slotBytesMax a hot slot of this size is closed, in bytes
 * @param slotAgeMaxMs a hot slot of this age that is not empty is closed, in milliseconds
 * @param retentionMs how long a published slot is kept, in milliseconds
 */
public record RingPolicy(
    int slotsMax, int freeSlotsMin, long slotBytesMax, long slotAgeMaxMs, long retentionMs) {}
