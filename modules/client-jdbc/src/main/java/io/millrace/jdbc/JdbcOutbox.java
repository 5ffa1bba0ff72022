package io.millrace.jdbc;

import io.millrace.core.message.Appended;
import io.millrace.core.message.InvalidMessageException;
import io.millrace.core.message.MessageRules;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * Appends messages in the caller's own transaction on a JDBC connection: they exist if and only if
 * it commits. Lock the aggregate's row first and append last: the ids drawn by the append decide
 * the order within the aggregate.
 *
 * <p>The connection may come from any pool; its login needs the role {@code millrace_writer}. A
 * connection in auto-commit mode is refused. Nothing here commits, rolls back or closes it. Relays
 * find the messages by polling.
 *
 * <p>Holds no state and may be used by any thread; each call blocks until the database has
 * answered.
 */
public final class JdbcOutbox {

  /** Messages of one statement of {@link #appendAll}. */
  static final int BATCH_MESSAGES_MAX = 1_000;

  /** Payload bytes after which {@link #appendAll} sends a statement. */
  static final long BATCH_BYTES = 4_000_000;

  private static final Comparator<Appended> IN_ORDER = Comparator.comparingLong(Appended::id);

  private final MessageRules rules;

  /**
   * @param rules what may be appended, checked before anything is sent
   */
  public JdbcOutbox(MessageRules rules) {
    this.rules = rules;
  }

  /** As {@link #append(Connection, List)}. */
  public List<Appended> append(Connection connection, NewMessage... messages) throws SQLException {
    return append(connection, Arrays.asList(messages));
  }

  /**
   * Appends messages with one statement.
   *
   * @param connection in the caller's transaction
   * @param messages 1 to {@link MessageRules#MESSAGES_PER_APPEND_MAX}, their payloads together at
   *     most {@link MessageRules#PAYLOAD_BYTES_PER_APPEND_MAX} bytes
   * @return the appended messages in the order given, their ids rising
   * @throws InvalidMessageException before anything was sent: the transaction stays usable
   * @throws IllegalStateException for a connection in auto-commit mode, before anything was sent
   * @throws SQLException of the driver; PostgreSQL then lets the transaction only roll back, or go
   *     back to a savepoint
   */
  public List<Appended> append(Connection connection, List<NewMessage> messages)
      throws SQLException {
    OpenTransaction.require(connection, "append");
    List<NewMessage> checked = List.copyOf(messages);
    rules.check(checked);
    boolean isOne = checked.size() == 1;
    String sql = (isOne ? SqlText.APPEND_ONE : SqlText.APPEND).text();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      if (isOne) {
        AppendColumns.set(statement, checked.get(0));
      } else {
        AppendArrays.set(connection, statement, checked);
      }
      try (ResultSet rows = statement.executeQuery()) {
        return appended(rows, checked.size());
      }
    }
  }

  /**
   * Appends any number of messages, as an import makes them: in the order given, by a statement for
   * every {@value #BATCH_MESSAGES_MAX} of them or fewer, so that memory holds one statement's at a
   * time. All of it is one transaction, the caller's.
   *
   * @param messages read once, each checked before its statement is sent; none at all is allowed
   * @return how many were appended
   * @throws InvalidMessageException naming the message's position in its statement; earlier
   *     statements have been sent and stand if the caller commits nevertheless
   * @throws IllegalStateException as {@link #append(Connection, List)}
   * @throws SQLException as {@link #append(Connection, List)}
   */
  public long appendAll(Connection connection, Iterator<NewMessage> messages) throws SQLException {
    OpenTransaction.require(connection, "appendAll");
    long count = 0;
    long bytes = 0;
    List<NewMessage> batch = new ArrayList<>();
    while (messages.hasNext()) {
      NewMessage message = messages.next();
      batch.add(message);
      Payload payload = message.payload();
      bytes += payload == null ? 0 : payload.size();
      if (batch.size() == BATCH_MESSAGES_MAX || bytes >= BATCH_BYTES || !messages.hasNext()) {
        count += append(connection, batch).size();
        batch.clear();
        bytes = 0;
      }
    }
    return count;
  }

  /**
   * Hands out the next revision of an aggregate that has no version column of its own, and locks
   * the aggregate until the transaction ends. Call it before the append.
   *
   * @param expected the revision that the caller has seen (0: none yet), or empty for any
   * @return the new revision, 1 for a new aggregate
   * @throws InvalidMessageException before anything was sent
   * @throws IllegalStateException for a connection in auto-commit mode, before anything was sent
   * @throws SQLException with SQLSTATE 23505 when the aggregate is not at the expected revision;
   *     the transaction can then only roll back, or go back to a savepoint
   */
  public long nextRevision(Connection connection, String type, String id, OptionalLong expected)
      throws SQLException {
    OpenTransaction.require(connection, "nextRevision");
    rules.checkRevision(type, id, expected);
    try (PreparedStatement statement = connection.prepareStatement(SqlText.NEXT_REVISION.text())) {
      statement.setString(1, type);
      statement.setString(2, id);
      if (expected.isPresent()) {
        statement.setLong(3, expected.getAsLong());
      } else {
        statement.setNull(3, Types.BIGINT);
      }
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return rows.getLong("revision");
      }
    }
  }

  private static List<Appended> appended(ResultSet rows, int count) throws SQLException {
    List<Appended> appended = new ArrayList<>(count);
    while (rows.next()) {
      appended.add(
          new Appended(
              rows.getLong("id"), rows.getObject("message_id", UUID.class), rows.getInt("shard")));
    }
    appended.sort(IN_ORDER);
    return List.copyOf(appended);
  }
}
