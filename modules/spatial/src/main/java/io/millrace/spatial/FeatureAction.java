package io.millrace.spatial;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What happened to a feature. */
public enum FeatureAction {
  /** It is there now and was not before. */
  CREATE,
  /** It has changed and is still in its cell; its geometry may be another one. */
  EDIT,
  /** It has left its cell for another one, or got its first geometry, or lost its last. */
  MOVE,
  /** It is gone. */
  RETIRE;

  /**
   * @param before the cell before, null: none
   * @param after the cell now, null: none
   */
  static FeatureAction of(
      boolean wasThere, boolean isThere, @Nullable String before, @Nullable String after) {
    if (!wasThere) {
      return CREATE;
    }
    if (!isThere) {
      return RETIRE;
    }
    return before == null ? (after == null ? EDIT : MOVE) : (before.equals(after) ? EDIT : MOVE);
  }

  /**
   * @param text as {@link #text} gives it
   * @throws IllegalArgumentException when there is none of that name
   */
  static FeatureAction of(String text) {
    return valueOf(text.toUpperCase(Locale.ROOT));
  }

  /** As in payloads and event types: small letters. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
