package io.millrace.core.lease;

/** What a registered node does: shards are spread over the relays only. */
public enum NodeRole {
  RELAY,
  MAINTENANCE
}
