package io.millrace.core.inbox;

import java.util.Locale;

/** The two tables that are kept in buckets. */
public enum BucketParent {
  /** Ids of messages that were applied. */
  INBOX,
  /** Calls to the outside. */
  EFFECT;

  /** The table's name in schema millrace. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
