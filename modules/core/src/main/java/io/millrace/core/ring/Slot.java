package io.millrace.core.ring;

/**
 * A slot as maintenance sees it. Ages are differences of the database's clock, in milliseconds.
 *
 * @param slot its number
 * @param isClosed whether its closed_xid has been drawn
 * @param waitsNoted whether the transactions that an attached slot waits for have been written down
 * @param stateAgeMs since it became hot, published or free; 0 in any other state
 * @param bytes size of the table with its index and large values
 */
public record Slot(
    int slot, SlotState state, boolean isClosed, boolean waitsNoted, long stateAgeMs, long bytes) {}
