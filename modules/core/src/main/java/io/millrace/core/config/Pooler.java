package io.millrace.core.config;

/** What stands between this process and PostgreSQL. */
public enum Pooler {
  /** Nothing: each connection is a session of the server's. */
  NONE,
  /** A pooler in transaction mode: a session is lent for one transaction, and then to others. */
  TRANSACTION
}
