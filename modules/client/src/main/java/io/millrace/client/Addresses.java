package io.millrace.client;

/**
 * Every event bus address of Millrace. What travels over them is never the only copy of anything:
 * the bus may lose any of it.
 */
public final class Addresses {

  /** Published after a commit; the body is a {@link Nudge}. */
  public static final String NUDGE = "millrace.nudge";

  /** Requests to run a command; the body is a {@link CommandRequest}. */
  public static final String COMMAND = "millrace.command";

  /** Published in a process alone when nodes have come or gone; the body is empty. */
  public static final String MEMBERS = "millrace.members";

  /**
   * Published by who listens at {@link #published} or {@link #applied}, again and again; the body
   * names the address. What nobody listens for is not told.
   */
  public static final String WATCH = "millrace.watch";

  private Addresses() {}

  /**
   * Published after the receipt of a batch with messages of a topic; the body is a {@link Notice}.
   */
  public static String published(String topic) {
    return "millrace.published." + topic;
  }

  /** Published after a consumer has applied messages; the body is a {@link Notice}. */
  public static String applied(String consumer) {
    return "millrace.applied." + consumer;
  }

  /** Asks one node's relay for its status. */
  public static String relayStatus(String nodeId) {
    return "millrace.relay.status." + nodeId;
  }

  /** Asks one node's maintenance for its status. */
  public static String maintenanceStatus(String nodeId) {
    return "millrace.maintenance.status." + nodeId;
  }

  /** Asks one node for what it has last seen of the outbox. */
  public static String outboxStatus(String nodeId) {
    return "millrace.outbox.status." + nodeId;
  }

  /** Told in one process when its node has read the status from the database. */
  public static String statusReading(String nodeId) {
    return "millrace.status.reading." + nodeId;
  }

  /** Asks one node how it stands in its cluster. */
  public static String clusterStatus(String nodeId) {
    return "millrace.cluster.status." + nodeId;
  }

  /** Asks one node's consumer for its status. */
  public static String inboxStatus(String nodeId, String consumer) {
    return "millrace.inbox.status." + nodeId + "." + consumer;
  }
}
