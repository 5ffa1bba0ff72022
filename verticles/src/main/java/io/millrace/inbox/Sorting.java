package io.millrace.inbox;

import io.millrace.core.message.Payload;
import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** The order in which effects are made: by key, then by offset, so that all lock in one order. */
final class Sorting {
  static final Comparator<Item> BY_KEY_AND_OFFSET =
      Comparator.<Item, byte[]>comparing(
              item -> bytes(item.record().key()), Arrays::compareUnsigned)
          .thenComparingLong(item -> item.record().offset());

  private static final byte[] NONE = {};

  private Sorting() {}

  private static byte[] bytes(@Nullable Payload key) {
    return key == null ? NONE : key.bytes();
  }
}
