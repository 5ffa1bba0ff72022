package io.millrace.bench.spi;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Fills an outbox table on the server, a transaction for every {@link Backlog#CHUNK} rows. */
public final class SqlFill {
  private SqlFill() {}

  /**
   * Commits a backlog.
   *
   * @param insert a statement up to its source of rows, which is {@link Backlog#ROWS}
   */
  public static void run(SubjectSettings settings, String insert, Backlog backlog)
      throws SQLException {
    try (Connection connection = settings.connect();
        PreparedStatement statement = connection.prepareStatement(insert + Backlog.ROWS)) {
      for (long first = 0; first < backlog.count(); first += Backlog.CHUNK) {
        statement.setLong(1, first);
        statement.setLong(2, Math.min(first + Backlog.CHUNK, backlog.count()) - 1);
        statement.setLong(3, backlog.firstRevision());
        statement.setInt(4, backlog.payloadBytes());
        statement.executeUpdate();
      }
    }
  }
}
