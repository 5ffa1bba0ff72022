package io.millrace.bench.spi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a message adds to a business transaction: one connection commits transactions of each form
 * in turn, a block of each, so that whatever slows the machine slows all forms.
 */
final class CostProbe implements AutoCloseable {
  /** Messages of a transaction of form {@link Form#BATCH}. */
  static final int BATCH = 10;

  private static final int BLOCK = 50;
  private static final int WARM_UP_BLOCKS = 10;

  private final int bytes;
  private final Appender appender;
  private final Connection observer;
  private final PreparedStatement change;
  private final Optional<PreparedStatement> oneStatement;
  private final Path backend;
  private final Map<Form, Sums> sums = new EnumMap<>(Form.class);
  private int next;

  private enum Form {
    /** The business change alone. */
    NONE,
    /** The change, and a message by another statement. */
    APPEND,
    /** Both by one statement. */
    ONE_STATEMENT,
    /** The change, and several messages by another statement. */
    BATCH
  }

  private static final class Sums {
    private final List<Long> nanos = new ArrayList<>();
    private long backendNanos;
    private long walBytes;
  }

  CostProbe(SubjectSettings settings, Peer peer, int bytes) throws Exception {
    this.bytes = bytes;
    this.appender = peer.appender();
    Connection connection = appender.connection();
    connection.setAutoCommit(false);
    this.observer = settings.connect();
    this.change = BusinessTable.prepareChange(connection);
    Optional<String> text = peer.oneStatement();
    this.oneStatement =
        text.isPresent() ? Optional.of(connection.prepareStatement(text.get())) : Optional.empty();
    this.backend = Path.of("/proc/" + number(connection, "select pg_backend_pid()") + "/schedstat");
    connection.commit();
  }

  /** Transactions of all forms for so long. */
  Map<String, String> run(int seconds) throws Exception {
    for (int i = 0; i < WARM_UP_BLOCKS; i++) {
      round();
    }
    sums.clear();
    long until = System.nanoTime() + seconds * 1_000_000_000L;
    while (System.nanoTime() < until) {
      round();
    }
    return values();
  }

  private void round() throws Exception {
    for (Form form : Form.values()) {
      if (form != Form.ONE_STATEMENT || oneStatement.isPresent()) {
        block(form, sums.computeIfAbsent(form, unused -> new Sums()));
      }
    }
  }

  private void block(Form form, Sums into) throws Exception {
    long wal = walPosition();
    long cpu = backendNanos();
    for (int i = 0; i < BLOCK; i++) {
      int aggregate = next++ % Payloads.AGGREGATES;
      long begun = System.nanoTime();
      transact(form, aggregate, begun);
      into.nanos.add(System.nanoTime() - begun);
    }
    into.backendNanos += backendNanos() - cpu;
    into.walBytes += walPosition() - wal;
  }

  private void transact(Form form, int aggregate, long nanos) throws Exception {
    if (form == Form.ONE_STATEMENT) {
      BenchMessage message = message(aggregate, nanos);
      PreparedStatement statement = oneStatement.orElseThrow();
      statement.setInt(1, aggregate);
      statement.setString(2, message.aggregateId());
      statement.setBytes(3, message.payload());
      statement.execute();
    } else {
      change.setInt(1, aggregate);
      change.executeUpdate();
    }
    if (form == Form.APPEND) {
      appender.append(List.of(message(aggregate, nanos)));
    } else if (form == Form.BATCH) {
      List<BenchMessage> messages = new ArrayList<>(BATCH);
      for (int i = 0; i < BATCH; i++) {
        messages.add(message(aggregate, nanos));
      }
      appender.append(messages);
    }
    appender.connection().commit();
  }

  private BenchMessage message(int aggregate, long nanos) {
    return new BenchMessage(
        Payloads.aggregateId(aggregate), Payloads.of(aggregate, 0, nanos, bytes));
  }

  private Map<String, String> values() {
    Map<String, String> values = new HashMap<>();
    sums.forEach(
        (form, sum) -> {
          List<Long> sorted = sum.nanos.stream().sorted().toList();
          double count = sorted.size();
          values.put(form + ".tx_us", String.valueOf(sorted.get(sorted.size() / 2) / 1e3));
          values.put(form + ".backend_us", String.valueOf(sum.backendNanos / 1e3 / count));
          values.put(form + ".wal_bytes", String.valueOf(sum.walBytes / count));
          values.put(
              form + ".messages",
              String.valueOf(form == Form.NONE ? 0 : form == Form.BATCH ? BATCH : 1));
        });
    return values;
  }

  /** First number of proc(5)'s schedstat: nanoseconds on a processor. */
  private long backendNanos() throws IOException {
    return Long.parseLong(Files.readString(backend).split(" ", 2)[0]);
  }

  private long walPosition() throws SQLException {
    return number(observer, "select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint");
  }

  private static long number(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  @Override
  public void close() throws SQLException {
    appender.close();
    observer.close();
  }
}
