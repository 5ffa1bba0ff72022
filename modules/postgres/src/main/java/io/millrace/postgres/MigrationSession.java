package io.millrace.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection on which one migration at a time changes a database that is in use. Blocking; for
 * one thread.
 *
 * <p>A lock that conflicts with writers is waited for at most {@value #LOCK_WAIT_MS} ms, and its
 * statement takes at most {@value #STATEMENT_MS} ms: while it waits, writers wait behind it. It is
 * tried {@value #ATTEMPTS_MAX} times, with pauses of random length in between.
 */
final class MigrationSession implements AutoCloseable {
  static final int LOCK_WAIT_MS = 5;
  static final int STATEMENT_MS = 50;
  static final int ATTEMPTS_MAX = 300;
  private static final int PAUSE_MS_MIN = 20;
  private static final int PAUSE_MS_MAX = 180;

  /** lock_not_available, query_canceled (by its time limit), deadlock_detected. */
  private static final Set<String> IN_THE_WAY = Set.of("55P03", "57014", "40P01");

  private static final Logger LOG = LoggerFactory.getLogger(MigrationSession.class);

  private final Connection connection;
  private final int attemptsMax;

  private MigrationSession(Connection connection, int attemptsMax) {
    this.connection = connection;
    this.attemptsMax = attemptsMax;
  }

  /**
   * Takes the connection over, whether it succeeds or not.
   *
   * @throws MigrationException when another migration of this database is running
   */
  static MigrationSession begin(Connection connection) throws SQLException {
    return begin(connection, ATTEMPTS_MAX);
  }

  static MigrationSession begin(Connection connection, int attemptsMax) throws SQLException {
    MigrationSession session = new MigrationSession(connection, attemptsMax);
    try {
      session.limit(0, 0);
      if (!session.isTrue(SlotIndexText.LOCK)) {
        throw new MigrationException(
            "another migrate of this database is running, or its session is still at its last statement:"
                + " wait for its end, then run migrate again");
      }
      return session;
    } catch (SQLException | RuntimeException e) {
      session.close();
      throw e;
    }
  }

  /** What the rows of a query are made into. */
  interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }

  <T> List<T> query(SlotIndexText sql, RowReader<T> reader, Object... values) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql.text())) {
      for (int i = 0; i < values.length; i++) {
        Object value = values[i];
        statement.setObject(
            i + 1,
            value instanceof String[] texts ? connection.createArrayOf("text", texts) : value);
      }
      List<T> found = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          found.add(reader.read(rows));
        }
      }
      return found;
    }
  }

  boolean isTrue(SlotIndexText sql, Object... values) throws SQLException {
    return query(sql, row -> row.getBoolean(1), values).get(0);
  }

  /**
   * Executes what waits for transactions that began earlier, and keeps no writer waiting itself:
   * without a limit, for only they decide how long it takes.
   */
  void executeConcurrently(String sql) throws SQLException {
    String oldest = oldestTransaction();
    LOG.info("{}{}", sql, oldest.isEmpty() ? "" : "; waits for older transactions, as " + oldest);
    execute(sql);
  }

  /**
   * Executes what needs a lock that writers wait behind.
   *
   * @throws MigrationException when the lock could not be had
   */
  void executeShortly(String sql) throws SQLException {
    for (int attempt = 1; ; attempt++) {
      limit(LOCK_WAIT_MS, STATEMENT_MS);
      try {
        execute(sql);
        limit(0, 0);
        return;
      } catch (SQLException e) {
        if (!IN_THE_WAY.contains(e.getSQLState())) {
          throw e;
        }
        limit(0, 0);
        if (attempt == attemptsMax) {
          throw new MigrationException(
              "\"%s\" was tried %d times and had its lock within %d ms never; in the way may be %s. Nothing is left half done: run migrate again"
                  .formatted(sql, attempt, LOCK_WAIT_MS, oldestTransaction()),
              e);
        }
      }
      pause();
    }
  }

  private String oldestTransaction() throws SQLException {
    return String.join("", query(SlotIndexText.OLDEST, row -> row.getString(1)));
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private void limit(int lockWaitMs, int statementMs) throws SQLException {
    execute("set lock_timeout = " + lockWaitMs);
    execute("set statement_timeout = " + statementMs);
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(
          ThreadLocalRandom.current().nextInt(PAUSE_MS_MIN, PAUSE_MS_MAX + 1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MigrationException("interrupted while waiting for a lock", e);
    }
  }

  /**
   * Gives the lock back first: the server notices the end of a connection a moment later, and would
   * refuse a migration that follows at once.
   */
  @Override
  public void close() throws SQLException {
    try {
      execute("select pg_advisory_unlock_all()");
    } catch (SQLException e) {
      LOG.debug("the lock ends with its connection", e);
    } finally {
      connection.close();
    }
  }
}
