package io.millrace.port;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who publishes the outbox, and how far the database's replication slots are.
 *
 * @param publisher "relay" or "debezium"
 * @param replicationSlot the one that Debezium publishes by; null while Millrace relays
 * @param problem why that one cannot be believed, for people; null: it can, or Millrace relays
 * @param replicationSlots the logical ones of this database, whatever they serve
 */
public record PublishingStatus(
    String publisher,
    @Nullable String replicationSlot,
    @Nullable String problem,
    List<ReplicationSlot> replicationSlots) {

  /**
   * A replication slot.
   *
   * @param isActive somebody reads it now
   * @param walStatus "reserved", "extended", "unreserved" or "lost"; null: none
   * @param lagBytes what of the server's log its reader has not confirmed; null: not known
   * @param retainedBytes what the server keeps of its log for it
   */
  public record ReplicationSlot(
      String name,
      boolean isActive,
      @Nullable String walStatus,
      @Nullable Long lagBytes,
      long retainedBytes) {}

  public PublishingStatus {
    replicationSlots = List.copyOf(replicationSlots);
  }

  public boolean isReplicated() {
    return publisher.equals("debezium");
  }
}
