package io.millrace.jdbc;

import io.millrace.core.message.HeaderText;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One message as the parameters of the statement that appends one, in its order. A column has the
 * same type whether its value is null or not: the driver prepares the statement anew for other
 * types.
 */
final class AppendColumns {
  private final PreparedStatement statement;
  private int last;

  private AppendColumns(PreparedStatement statement) {
    this.statement = statement;
  }

  static void set(PreparedStatement statement, NewMessage message) throws SQLException {
    new AppendColumns(statement).setAll(message);
  }

  private void setAll(NewMessage message) throws SQLException {
    text(message.topic());
    text(message.aggregateType());
    text(message.aggregateId());
    text(message.eventType());
    bytes(message.payload());
    UUID id = message.messageId();
    text(id == null ? null : id.toString());
    number(message.revision());
    text(message.messageKey());
    text(message.schemaVersion());
    text(message.contentType());
    text(HeaderText.of(message.headers()));
    text(message.resolver());
  }

  private void text(@Nullable String value) throws SQLException {
    statement.setString(++last, value);
  }

  private void bytes(@Nullable Payload value) throws SQLException {
    statement.setBytes(++last, value == null ? null : value.bytes());
  }

  private void number(@Nullable Long value) throws SQLException {
    if (value == null) {
      statement.setNull(++last, Types.BIGINT);
    } else {
      statement.setLong(++last, value);
    }
  }
}
