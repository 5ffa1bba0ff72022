package io.millrace.core.parking;

import io.millrace.core.message.OutboxMessage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The messages of a pass, parted into those to publish and those to park, both in id order.
 *
 * @param publish what goes to the broker
 * @param park what is held back by the batch's receipt
 */
public record Sift(List<OutboxMessage> publish, List<Parking> park) {

  public Sift {
    publish = List.copyOf(publish);
    park = List.copyOf(park);
  }

  /**
   * Parts a pass.
   *
   * @param messages in id order
   * @param blocked keys of which something is parked, or will be by a receipt that is on its way
   * @param hopeless messages that cannot be published as they are, by id, with the reason; they
   *     block their own followers
   */
  public static Sift of(
      List<OutboxMessage> messages, Set<OrderKey> blocked, Map<Long, String> hopeless) {
    Set<OrderKey> held = new HashSet<>(blocked);
    List<OutboxMessage> publish = new ArrayList<>();
    List<Parking> park = new ArrayList<>();
    for (OutboxMessage message : messages) {
      String reason = hopeless.get(message.id());
      if (held.contains(OrderKey.of(message))) {
        park.add(Parking.behind(message));
      } else if (reason != null) {
        park.add(Parking.refused(message, reason, 0, List.of()));
        held.add(OrderKey.of(message));
      } else {
        publish.add(message);
      }
    }
    return new Sift(publish, park);
  }

  /** Everything is held back: the lane is being drained. */
  public static Sift drained(List<OutboxMessage> messages, String reason) {
    return new Sift(List.of(), messages.stream().map(m -> Parking.ofLane(m, reason)).toList());
  }
}
