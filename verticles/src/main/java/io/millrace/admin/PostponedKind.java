package io.millrace.admin;

import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What kind of thing a slot's cleaning waits for: few enough for a metric's tag. */
enum PostponedKind {
  /** A message of it is not published, or a lane has no receipt. */
  UNPUBLISHED("shard "),
  /** Somebody's transaction holds a lock, or may still write. */
  OPEN_TRANSACTION("an open transaction|a prepared transaction|transactions on|somebody reads"),
  /** The replication slot has not confirmed it, or cannot be believed. */
  REPLICATION("replication: "),
  /** A replay has still to read it. */
  REPLAY("replay "),
  OTHER("");

  private final Pattern beginning;

  PostponedKind(String beginning) {
    this.beginning = Pattern.compile(beginning);
  }

  /**
   * By the first words of the reason, which is a text for people.
   *
   * @return null if nothing was postponed
   */
  static @Nullable PostponedKind of(@Nullable String reason) {
    if (reason == null) {
      return null;
    }
    for (PostponedKind kind : values()) {
      if (kind.beginning.matcher(reason).lookingAt()) {
        return kind;
      }
    }
    return OTHER;
  }

  String tag() {
    return name().toLowerCase(Locale.ROOT);
  }
}
