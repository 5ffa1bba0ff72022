package io.millrace.core.config;

/** What somebody may do at the admin API. Each role may do what those before it may. */
public enum AdminRole {
  /** May look at everything, payloads included. */
  VIEWER,
  /** May change things: redrive, discard, pause, replay, turn the ring. */
  OPERATOR;

  /** Whether this role is enough where another one is asked for. */
  public boolean covers(AdminRole needed) {
    return compareTo(needed) >= 0;
  }
}
