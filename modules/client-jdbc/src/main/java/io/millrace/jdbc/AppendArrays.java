package io.millrace.jdbc;

import io.millrace.core.message.HeaderText;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Messages as the parameters of the append statement: an array a column, in its order. */
final class AppendArrays {
  private static final String TEXT = "text";

  private final Connection connection;
  private final PreparedStatement statement;
  private final List<NewMessage> messages;
  private int last;

  private AppendArrays(
      Connection connection, PreparedStatement statement, List<NewMessage> messages) {
    this.connection = connection;
    this.statement = statement;
    this.messages = messages;
  }

  static void set(Connection connection, PreparedStatement statement, List<NewMessage> messages)
      throws SQLException {
    new AppendArrays(connection, statement, messages).setAll();
  }

  private void setAll() throws SQLException {
    texts(NewMessage::topic);
    texts(NewMessage::aggregateType);
    texts(NewMessage::aggregateId);
    texts(NewMessage::eventType);
    next("bytea", messages.stream().map(AppendArrays::payload).toArray(byte[][]::new));
    next("uuid", messages.stream().map(NewMessage::messageId).toArray(UUID[]::new));
    next("int8", messages.stream().map(NewMessage::revision).toArray(Long[]::new));
    texts(NewMessage::messageKey);
    texts(NewMessage::schemaVersion);
    texts(NewMessage::contentType);
    texts(message -> HeaderText.of(message.headers()));
    texts(NewMessage::resolver);
  }

  private void texts(Function<NewMessage, @Nullable String> column) throws SQLException {
    next(TEXT, messages.stream().map(column).toArray(String[]::new));
  }

  private void next(String type, Object[] elements) throws SQLException {
    statement.setArray(++last, connection.createArrayOf(type, elements));
  }

  private static byte @Nullable [] payload(NewMessage message) {
    Payload payload = message.payload();
    return payload == null ? null : payload.bytes();
  }
}
