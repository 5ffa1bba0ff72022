package io.millrace.core.inbox;

import io.millrace.core.message.Payload;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Keys are spread over stripes, so that a topic partition can be worked on by several transactions
 * at a time while each key stays in one. Records without a key have no order among each other, but
 * stay in the first stripe.
 */
public final class Stripes {
  private Stripes() {}

  /** The stripe of a key, 0 to {@code count - 1}. */
  public static int of(@Nullable Payload key, int count) {
    if (key == null || count == 1) {
      return 0;
    }
    int hash = Arrays.hashCode(key.bytes());
    // Spreads the low bits: hashes of short keys that count up differ in few of them.
    return Math.floorMod(hash ^ (hash >>> 16) * 0x45d9f3b, count);
  }
}
