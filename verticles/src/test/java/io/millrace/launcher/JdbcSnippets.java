package io.millrace.launcher;

import io.millrace.core.message.MessageRules;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import io.millrace.jdbc.JdbcInbox;
import io.millrace.jdbc.JdbcOutbox;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.OptionalLong;
import java.util.UUID;

/** What docs/any-language.md shows for JDBC, compiled. */
final class JdbcSnippets {
  private final JdbcOutbox outbox = new JdbcOutbox(new MessageRules(1_000_000));
  private final JdbcInbox inbox = new JdbcInbox("accounts");

  /** In the caller's transaction: setAutoCommit(false) before, commit() after. */
  UUID place(Connection connection, String orderId, long amountCents) throws SQLException {
    execute(
        connection, "insert into orders (id, amount_cents) values (?, ?)", orderId, amountCents);
    Payload payload = Payload.of("{\"amount_cents\":" + amountCents + "}");
    NewMessage placed = NewMessage.of("orders", "order", orderId, "order_placed", payload);
    return outbox.append(connection, placed).get(0).messageId();
  }

  /** False when the order is not open at that revision: then nothing has changed. */
  boolean pay(Connection connection, String orderId, long revision) throws SQLException {
    String lockAndChange =
        "update orders set status = 'paid', revision = revision + 1"
            + " where id = ? and revision = ? and status = 'open'";
    if (execute(connection, lockAndChange, orderId, revision) == 0) {
      return false;
    }
    outbox.append(
        connection,
        NewMessage.of("orders", "order", orderId, "order_paid", Payload.of("{}"))
            .withRevision(revision + 1));
    return true;
  }

  /** SQLState 23505 when the stock is not at the expected revision. */
  long countStock(Connection connection, String sku, int pieces, long expected)
      throws SQLException {
    long revision = outbox.nextRevision(connection, "stock", sku, OptionalLong.of(expected));
    Payload payload = Payload.of("{\"pieces\":" + pieces + "}");
    NewMessage counted = NewMessage.of("stock", "stock", sku, "counted", payload);
    outbox.append(connection, counted.withRevision(revision));
    return revision;
  }

  /** A consumer's effect; false for a repeat. Commit, then commit the offset. */
  boolean book(Connection connection, UUID messageId, long amountCents) throws SQLException {
    boolean isNew = inbox.claim(connection, messageId);
    if (isNew) {
      execute(connection, "update account set balance_cents = balance_cents + ?", amountCents);
    }
    return isNew;
  }

  private static int execute(Connection connection, String sql, Object... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      return statement.executeUpdate();
    }
  }
}
