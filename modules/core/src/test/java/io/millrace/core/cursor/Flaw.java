package io.millrace.core.cursor;

/** A mistake built into the model, so that the simulation can be seen to find it. */
enum Flaw {
  NONE,
  /** Only ids above the head are read. */
  LATE_ROWS_SKIPPED,
  /** A receipt takes the sequence's value in its own transaction, which already has an xid. */
  SEQUENCE_READ_IN_THE_RECEIPT,
  /** A chunk takes every row that its target sees, published already or not. */
  SWEEP_FILTER_DROPPED,
  /** New rows are read although the late range is not read to its end. */
  NEW_ROWS_OVERTAKE_LATE_ONES,
  /** Within a row the id is drawn before the transaction id is assigned. */
  ID_DRAWN_BEFORE_XID,
  /** An aggregate's lock goes before its transaction can be seen. */
  LOCK_RELEASED_BEFORE_VISIBLE,
  /** Late rows are looked for only a few ids below the head. */
  LATE_FLOOR_TOO_HIGH
}
