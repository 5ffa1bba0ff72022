package io.millrace.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * What every call here needs. In auto-commit mode each statement commits by itself: a message would
 * exist without the change that it announces, a revision would be handed out without its lock, and
 * a message would count as applied whose effect then fails.
 */
final class OpenTransaction {
  private OpenTransaction() {}

  /**
   * @throws IllegalStateException in auto-commit mode, before anything was sent
   */
  static void require(Connection connection, String call) throws SQLException {
    if (connection.getAutoCommit()) {
      throw new IllegalStateException(
          call
              + " needs the transaction of the change that it belongs to, found a connection in"
              + " auto-commit mode: call setAutoCommit(false) first, and commit() when all is done");
    }
  }
}
