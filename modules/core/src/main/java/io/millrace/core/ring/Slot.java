package io.millrace.core.ring;

/**
 * A slot as maintenance sees it. Ages are differences of the database's clock, in milliseconds.
 *
 * @param slot its number
 * @param isClosed whether its closed_xid has been drawn
 * @param waitsNoted whether the transactions that an attached slot waits for have been written down
 * @param hotAgeMs since it became hot; 0 if it never was
 * @param publishedAgeMs since it was found published; 0 if it is not
 * @param bytes size of the table with its index and large values
 */
public record Slot(
    int slot,
    SlotState state,
    boolean isClosed,
    boolean waitsNoted,
    long hotAgeMs,
    long publishedAgeMs,
    long bytes) {}
