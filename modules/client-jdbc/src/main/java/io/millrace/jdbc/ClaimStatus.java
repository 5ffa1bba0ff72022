package io.millrace.jdbc;

import java.util.Locale;

/** What a claim of one message found. */
public enum ClaimStatus {
  /** Not applied so far, and claimed: make its effect in this transaction. */
  NEW,

  /** Applied, or parked, before, or named twice in one claim: there is nothing to do. */
  DUPLICATE,

  /**
   * So old that its id is not kept any more: it cannot be told from a repeat. Not claimed; put it
   * aside for a person, and never apply it on a guess.
   */
  BEYOND_DEDUP_WINDOW,

  /** Its time lies further ahead than ids can be kept yet. Not claimed; put it aside. */
  AHEAD_OF_BUCKETS;

  static ClaimStatus of(String text) {
    return valueOf(text.toUpperCase(Locale.ROOT));
  }
}
