package io.millrace.bench.gruelbox;

import com.gruelbox.transactionoutbox.Transaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the library is told of a transaction that others begin and commit. For one thread. */
final class WriterTransaction implements Transaction, AutoCloseable {
  private final Connection connection;
  private final Map<String, PreparedStatement> batches = new HashMap<>();
  private final List<Runnable> afterCommit = new ArrayList<>();

  WriterTransaction(Connection connection) {
    this.connection = connection;
  }

  @Override
  public Connection connection() {
    return connection;
  }

  @Override
  public PreparedStatement prepareBatchStatement(String sql) {
    return batches.computeIfAbsent(sql, this::prepare);
  }

  private PreparedStatement prepare(String sql) {
    try {
      return connection.prepareStatement(sql);
    } catch (SQLException e) {
      throw new IllegalStateException("cannot prepare " + sql, e);
    }
  }

  @Override
  public void addPostCommitHook(Runnable hook) {
    afterCommit.add(hook);
  }

  /** What has been added to batches goes to the server, in one round trip a statement. */
  void flush() throws SQLException {
    for (PreparedStatement batch : batches.values()) {
      batch.executeBatch();
    }
  }

  /** The library submits what the transaction has scheduled. */
  void committed() {
    List<Runnable> hooks = List.copyOf(afterCommit);
    afterCommit.clear();
    hooks.forEach(Runnable::run);
  }

  /** Forgets what nobody has told to be committed. */
  void begin() {
    afterCommit.clear();
  }

  @Override
  public void close() throws SQLException {
    for (PreparedStatement batch : batches.values()) {
      batch.close();
    }
  }
}
