package io.millrace.admin;

import io.millrace.port.SlotStatus;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Why a slot is not free yet, in words for people. Pure. */
final class CleaningReason {
  private CleaningReason() {}

  /**
   * The reason.
   *
   * @param retentionMs how long published messages are kept, in milliseconds
   * @return null for a free slot that is not surplus: there is nothing to clean
   */
  static @Nullable String of(SlotStatus slot, long retentionMs) {
    if (slot.isCurrent()) {
      return "receives new messages";
    }
    return switch (slot.state()) {
      case "free" -> surplus(slot.postponed());
      case "attaching" ->
          orElse(slot.postponed(), "waiting for transactions that began before it was attached");
      case "next" -> "chosen to receive new messages next";
      case "hot" -> "receives new messages";
      case "detached" -> orElse(slot.postponed(), "empty and out of the ring, to be dropped");
      case "draining" -> orElse(slot.postponed(), "waiting for the relays");
      case "published" -> orElse(slot.postponed(), kept(slot.publishedAt(), retentionMs));
      default -> "in a state that this version does not know: " + slot.state();
    };
  }

  private static @Nullable String surplus(@Nullable String postponed) {
    return postponed == null ? null : "not needed for long, but not dropped yet: " + postponed;
  }

  private static String kept(@Nullable Instant publishedAt, long retentionMs) {
    String retention = " (retention " + retentionMs + " ms)";
    return publishedAt == null
        ? "kept for a while" + retention
        : "kept until " + publishedAt.plusMillis(retentionMs) + retention;
  }

  private static String orElse(@Nullable String postponed, String otherwise) {
    return postponed == null ? otherwise : postponed;
  }
}
