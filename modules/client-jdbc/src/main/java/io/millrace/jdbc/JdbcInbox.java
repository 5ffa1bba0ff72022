package io.millrace.jdbc;

import io.millrace.core.inbox.Identity;
import io.millrace.core.message.Uuid7;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Tells a consumer that reads Kafka by itself which messages are new, so that each message's effect
 * on its database happens once: the claim and the effect are one transaction. Commit it first, and
 * the offsets at Kafka after that.
 *
 * <p>A claim waits while another open transaction has claimed the same message, and finds it new
 * again if that one rolls back. Claims must be the transaction's first statements or before its
 * effects, in READ COMMITTED. The connection's login needs the role {@code millrace_inbox}; the
 * consumer's database needs maintenance running, which makes the buckets that ids are kept in. Give
 * the sessions an {@code idle_in_transaction_session_timeout}: a claim that a dead process left
 * open holds up other claims of its messages.
 *
 * <p>Ids are kept for {@code inbox.retention_days}. Whether that is longer than the topics can
 * repeat a message is checked for consumers that Millrace runs, and is the application's own duty
 * here.
 *
 * <p>Holds no state but the consumer's name and may be used by any thread; each call blocks until
 * the database has answered.
 */
public final class JdbcInbox {

  /** Messages of one claim. */
  public static final int MESSAGES_PER_CLAIM_MAX = 10_000;

  /** Characters of a consumer's name. */
  public static final int CONSUMER_CHARACTERS_MAX = 100;

  private final String consumer;

  /**
   * @param consumer its identity for good, which ids applied go by: 1 to {@value
   *     #CONSUMER_CHARACTERS_MAX} of {@code a-z A-Z 0-9 . _ -}; one that Millrace runs under the
   *     same name shares them
   * @throws IllegalArgumentException naming the limit and what was found
   */
  public JdbcInbox(String consumer) {
    if (!consumer.matches("[a-zA-Z0-9._-]{1," + CONSUMER_CHARACTERS_MAX + "}")) {
      throw new IllegalArgumentException(
          "consumer must be 1 to "
              + CONSUMER_CHARACTERS_MAX
              + " of a-z A-Z 0-9 . _ -, found \""
              + consumer
              + '"');
    }
    this.consumer = consumer;
  }

  /**
   * Claims one message that a Millrace published.
   *
   * @param messageId the UUIDv7 in its header {@code ce_id}
   * @return true: it is new, make its effect now; false: it was applied before
   * @throws IllegalArgumentException if the id is no UUIDv7
   * @throws OutsideDedupWindowException if it can be neither
   * @throws IllegalStateException for a connection in auto-commit mode, before anything was sent
   * @throws SQLException of the driver
   */
  public boolean claim(Connection connection, UUID messageId) throws SQLException {
    Identity identity = new Identity(messageId, Uuid7.timeOf(messageId).toEpochMilli());
    ClaimStatus status = claim(connection, List.of(identity)).get(0);
    return switch (status) {
      case NEW -> true;
      case DUPLICATE -> false;
      case BEYOND_DEDUP_WINDOW, AHEAD_OF_BUCKETS ->
          throw new OutsideDedupWindowException(consumer, identity, status);
    };
  }

  /**
   * Claims many messages with one statement, the way to high rates: effects of all new ones, then
   * one commit.
   *
   * @param messages 1 to {@value #MESSAGES_PER_CLAIM_MAX}; {@link
   *     io.millrace.core.inbox.IdentityRule} finds the identity of a record, also of a foreign
   *     sender's
   * @return what was found, in the order given
   * @throws IllegalArgumentException for a wrong number of messages, before anything was sent
   * @throws IllegalStateException for a connection in auto-commit mode, before anything was sent
   * @throws SQLException of the driver: SQLSTATE 25001 in another isolation level, 55000 when the
   *     buckets have not been made
   */
  public List<ClaimStatus> claim(Connection connection, List<Identity> messages)
      throws SQLException {
    OpenTransaction.require(connection, "claim");
    if (messages.isEmpty() || messages.size() > MESSAGES_PER_CLAIM_MAX) {
      throw new IllegalArgumentException(
          "a claim takes 1 to " + MESSAGES_PER_CLAIM_MAX + " messages, found " + messages.size());
    }
    try (PreparedStatement statement = connection.prepareStatement(SqlText.INBOX_CLAIM.text())) {
      UUID[] ids = messages.stream().map(Identity::messageId).toArray(UUID[]::new);
      Long[] times = messages.stream().map(Identity::timeMs).toArray(Long[]::new);
      statement.setString(1, consumer);
      statement.setArray(2, connection.createArrayOf("uuid", ids));
      statement.setArray(3, connection.createArrayOf("int8", times));
      try (ResultSet rows = statement.executeQuery()) {
        return statuses(rows, messages.size());
      }
    }
  }

  private static List<ClaimStatus> statuses(ResultSet rows, int count) throws SQLException {
    List<ClaimStatus> statuses = new ArrayList<>(count);
    while (rows.next()) {
      statuses.add(ClaimStatus.of(rows.getString("status")));
    }
    if (statuses.size() != count) {
      throw new IllegalStateException(
          "millrace.inbox_claim must answer for each message, found "
              + statuses.size()
              + " of "
              + count);
    }
    return List.copyOf(statuses);
  }
}
