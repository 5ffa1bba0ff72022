package io.millrace.stress;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * One application that writes: transactions of every kind that has ever made a relay lose or
 * reorder messages. Each locks its aggregate, raises its revision, and appends messages; what it
 * appended is also written to a journal in the same transaction, so the journal tells afterwards
 * what has committed, whatever crashed in between.
 */
final class StressWriter implements Runnable {
  static final int AGGREGATES = 150;
  private static final int SUBTRANSACTIONS = 70;
  private static final int MESSAGES_MAX = 3;

  private final String url;
  private final String topicPrefix;
  private final Random random;
  private final AtomicInteger remaining;
  private final Load load;

  /**
   * @param remaining transactions still to be done, shared by all writers
   */
  StressWriter(String url, String topicPrefix, long seed, AtomicInteger remaining, Load load) {
    this.url = url;
    this.topicPrefix = topicPrefix;
    this.random = new Random(seed);
    this.remaining = remaining;
    this.load = load;
  }

  @Override
  public void run() {
    while (remaining.get() > 0) {
      try (Connection connection = DriverManager.getConnection(url)) {
        while (remaining.getAndDecrement() > 0) {
          transaction(connection);
          pause(load.pauseMsMax() == 0 ? 0 : random.nextInt(load.pauseMsMax()));
        }
      } catch (SQLException e) {
        // The server is down or has just been killed: what became of the transaction is in the
        // journal.
        pause(50);
      }
    }
  }

  private void transaction(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(
        random.nextInt(3) == 0
            ? Connection.TRANSACTION_REPEATABLE_READ
            : Connection.TRANSACTION_READ_COMMITTED);
    try {
      if (random.nextInt(5) == 0) {
        // Its transaction id is older than its lock.
        execute(connection, "select pg_current_xact_id()");
        stall();
      }
      change(connection);
      end(connection);
    } catch (SQLException e) {
      if ("40001".equals(e.getSQLState())) {
        connection.rollback();
      } else {
        throw e;
      }
    }
  }

  private void change(Connection connection) throws SQLException {
    switch (random.nextInt(8)) {
      case 0 -> {
        Savepoint savepoint = connection.setSavepoint();
        raiseAndAppend(connection);
        connection.rollback(savepoint);
        raiseAndAppend(connection);
      }
      case 1 -> {
        for (int i = 0; i < (random.nextInt(10) == 0 ? SUBTRANSACTIONS : 3); i++) {
          connection.releaseSavepoint(touched(connection));
        }
        raiseAndAppend(connection);
      }
      case 2 -> {
        raiseAndAppend(connection);
        stall();
      }
      default -> raiseAndAppend(connection);
    }
  }

  /** A subtransaction that writes, so that it gets a transaction id of its own. */
  private static Savepoint touched(Connection connection) throws SQLException {
    Savepoint savepoint = connection.setSavepoint();
    execute(connection, "insert into stress.scratch values (1)");
    return savepoint;
  }

  /** The right form: lock first, append last. */
  private void raiseAndAppend(Connection connection) throws SQLException {
    String aggregate = "a" + random.nextInt(AGGREGATES);
    int messages = 1 + random.nextInt(MESSAGES_MAX);
    long revision = raise(connection, aggregate, messages);
    if (random.nextInt(10) == 0) {
      stall();
    }
    for (int i = messages - 1; i >= 0; i--) {
      append(connection, aggregate, revision - i);
    }
  }

  private static long raise(Connection connection, String aggregate, int by) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "update stress.aggregate set revision = revision + ? where aggregate = ? returning revision")) {
      statement.setInt(1, by);
      statement.setString(2, aggregate);
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return rows.getLong(1);
      }
    }
  }

  private void append(Connection connection, String aggregate, long revision) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "with m as (select * from millrace.append(?, 'stress', ?, 'raised', convert_to(?, 'UTF8'), revision => ?)) "
                + "insert into stress.journal (message_id, aggregate, revision) select m.message, ?, ? from m")) {
      statement.setString(1, topicOf(aggregate));
      statement.setString(2, aggregate);
      statement.setString(3, aggregate + ":" + revision);
      statement.setLong(4, revision);
      statement.setString(5, aggregate);
      statement.setLong(6, revision);
      statement.executeUpdate();
    }
  }

  private String topicOf(String aggregate) {
    return topics(topicPrefix).get(Integer.parseInt(aggregate.substring(1)) % 2);
  }

  /** The topics of a run. */
  static List<String> topics(String prefix) {
    return List.of(prefix + "-even", prefix + "-odd");
  }

  private void end(Connection connection) throws SQLException {
    int how = random.nextInt(20);
    if (how < 3) {
      connection.rollback();
    } else if (how < 5 && load.isDurable()) {
      // Preparing makes all commits before it durable: not for a load of which some shall be
      // undone.
      String name = "stress-" + UUID.randomUUID();
      execute(connection, "prepare transaction '" + name + "'");
      connection.commit();
      stall();
      connection.setAutoCommit(true);
      execute(
          connection,
          (random.nextInt(4) == 0 ? "rollback" : "commit") + " prepared '" + name + "'");
    } else {
      connection.commit();
    }
  }

  private void stall() {
    int kind = random.nextInt(100);
    pause(kind == 0 ? random.nextInt(load.longStallMs()) : random.nextInt(kind < 10 ? 200 : 15));
  }

  /**
   * Not a wait for something to happen: a transaction that stays open is what this writer is for.
   */
  private static void pause(long ms) {
    LockSupport.parkNanos(ms * 1_000_000);
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
