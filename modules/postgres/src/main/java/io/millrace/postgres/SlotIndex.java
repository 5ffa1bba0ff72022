package io.millrace.postgres;

import java.util.List;
import java.util.stream.Collectors;

/**
 * An index that every slot of the ring must have. A changed definition gets a new name: the old
 * index stays in use until the new one is complete.
 *
 * @param name without {@code outbox_}, which the outbox's own index has in front; short enough for
 *     {@code outbox_slot_32767_} before it in 63 bytes
 * @param definition as PostgreSQL prints it, from {@code using} on
 */
record SlotIndex(String name, String definition) {
  private static final int NAME_CHARS_MAX = 63 - "outbox_slot_32767_".length();

  SlotIndex {
    if (!name.matches("[a-z0-9_]{1," + NAME_CHARS_MAX + "}")) {
      throw new IllegalArgumentException(
          "the name of a slot's index must have 1 to "
              + NAME_CHARS_MAX
              + " characters of a-z, 0-9 and _, found "
              + name);
    }
  }

  /** What this version of Millrace asks for: a {@code .sql} resource each. */
  static List<SlotIndex> declared() {
    return List.of(ofResource("shard_id"));
  }

  private static SlotIndex ofResource(String name) {
    String definition =
        SlotIndexText.read(name)
            .lines()
            .filter(line -> !line.startsWith("--"))
            .collect(Collectors.joining(" "));
    return new SlotIndex(name, definition.strip());
  }
}
