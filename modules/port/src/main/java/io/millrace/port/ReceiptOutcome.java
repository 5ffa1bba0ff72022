package io.millrace.port;

/** What became of a receipt. */
public enum ReceiptOutcome {
  RECORDED,
  /** The shard belongs to somebody else now: nothing was written, nothing more may be. */
  FENCED,
  /**
   * The server has been restarted or replaced: nothing was written, the cursor must be loaded
   * again.
   */
  OTHER_LIFE,

  /** The shard's lanes are others than those that were loaded with the cursor: load again. */
  MOVED
}
