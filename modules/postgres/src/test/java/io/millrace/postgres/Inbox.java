package io.millrace.postgres;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A consumer's session of a test: claims, parks and advances in its own transaction. */
final class Inbox {
  static final String CONSUMER = "billing";
  static final String TOPIC = "orders";
  static final UUID TOPIC_ID = UUID.fromString("00000000-0000-4000-8000-000000000001");

  private final Connection connection;
  private final boolean isOrdered;

  /**
   * @param connection no auto-commit: the test ends the transaction
   */
  Inbox(Connection connection, boolean isOrdered) throws SQLException {
    this.connection = connection;
    this.isOrdered = isOrdered;
    connection.setAutoCommit(false);
  }

  /** A message; its time is not derived from its id, so that a test can choose both. */
  record Message(UUID id, long timeMs, String key) {
    static Message at(long timeMs) {
      return new Message(UUID.randomUUID(), timeMs, null);
    }

    Message withKey(String other) {
      return new Message(id, timeMs, other);
    }
  }

  Connection connection() {
    return connection;
  }

  List<String> claim(Message... messages) throws SQLException {
    List<UUID> ids = new ArrayList<>();
    List<Long> times = new ArrayList<>();
    List<String> topics = new ArrayList<>();
    List<byte[]> keys = new ArrayList<>();
    for (Message message : messages) {
      ids.add(message.id());
      times.add(message.timeMs());
      topics.add(TOPIC);
      keys.add(message.key() == null ? null : message.key().getBytes());
    }
    try (PreparedStatement claim =
        connection.prepareStatement(
            "select status from millrace.inbox_claim(?, ?, ?, ?, ?, ?) order by ordinal")) {
      claim.setString(1, CONSUMER);
      claim.setArray(2, array("uuid", ids.toArray()));
      claim.setArray(3, array("bigint", times.toArray()));
      claim.setArray(4, array("text", topics.toArray()));
      claim.setArray(5, array("bytea", keys.toArray(new byte[0][])));
      claim.setBoolean(6, isOrdered);
      return strings(claim);
    }
  }

  private Array array(String type, Object[] values) throws SQLException {
    return connection.createArrayOf(type, values);
  }

  private static List<String> strings(PreparedStatement statement) throws SQLException {
    List<String> values = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        values.add(rows.getString(1));
      }
    }
    return values;
  }

  boolean park(Message message, String reason, boolean blocksKey) throws SQLException {
    try (PreparedStatement park =
        connection.prepareStatement(
            "select millrace.inbox_park(?, ?, ?, ?, ?, 0, 7, 1, ?, ?, ?, '{}', '{}', ?, ?, 'why', 1)")) {
      park.setString(1, CONSUMER);
      park.setObject(2, message.id());
      park.setLong(3, message.timeMs());
      park.setString(4, TOPIC);
      park.setObject(5, TOPIC_ID);
      park.setLong(6, message.timeMs());
      park.setBytes(7, message.key() == null ? null : message.key().getBytes());
      park.setBytes(8, "payload".getBytes());
      park.setString(9, reason);
      park.setBoolean(10, blocksKey);
      return strings(park).get(0).equals("t");
    }
  }

  void advance(int stripe, int stripes, long from, long to) throws SQLException {
    PgFixture.execute(
        connection,
        "select millrace.inbox_advance('%s', '%s', 0, %d, %d, %d, %d, 1)"
            .formatted(CONSUMER, TOPIC_ID, stripe, stripes, from, to));
  }

  void commit() throws SQLException {
    connection.commit();
  }

  void rollback() throws SQLException {
    connection.rollback();
  }
}
