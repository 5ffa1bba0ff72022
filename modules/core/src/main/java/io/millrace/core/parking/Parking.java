package io.millrace.core.parking;

import io.millrace.core.message.OutboxMessage;
import java.util.List;
import java.util.UUID;

/**
 * A message to be parked in the transaction of the receipt that passes it.
 *
 * @param reason for people: what refused it, and the limit it met
 * @param attempts how often it was tried by itself; time-outs and outages do not count
 * @param overtaken later messages of its key that the broker had acknowledged before it refused
 *     this one: they are ahead of it for good
 */
public record Parking(
    OutboxMessage message, Kind kind, String reason, int attempts, List<UUID> overtaken) {

  /** Why it is held back. */
  public enum Kind {
    /** It is refused itself, for good: an operator must say what becomes of it. */
    MESSAGE,
    /** An earlier message of its key is parked; it follows by itself when that one is gone. */
    BEHIND,
    /** Its topic's lane was drained; it goes out by itself when the topic works again. */
    LANE
  }

  public Parking {
    overtaken = List.copyOf(overtaken);
  }

  public static Parking refused(
      OutboxMessage message, String reason, int attempts, List<UUID> overtaken) {
    return new Parking(message, Kind.MESSAGE, reason, attempts, overtaken);
  }

  public static Parking behind(OutboxMessage message) {
    return new Parking(
        message, Kind.BEHIND, "an earlier message of its aggregate is parked", 0, List.of());
  }

  public static Parking ofLane(OutboxMessage message, String reason) {
    return new Parking(message, Kind.LANE, reason, 0, List.of());
  }

  /** Whether only an operator can let it go. */
  public boolean isDead() {
    return kind == Kind.MESSAGE;
  }
}
