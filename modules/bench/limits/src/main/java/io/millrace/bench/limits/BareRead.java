package io.millrace.bench.limits;

import io.millrace.bench.spi.Backlog;
import io.millrace.bench.spi.SqlFill;
import io.millrace.bench.spi.SubjectSettings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Pages of a table of outbox rows in the order of its key, one connection, nothing written. */
final class BareRead {
  private static final int PAGE = 1_000;

  private final SubjectSettings settings;

  BareRead(SubjectSettings settings) {
    this.settings = settings;
  }

  String description() {
    return "read: pages of 1,000 rows by key over JDBC, binary, one connection";
  }

  void lay() throws SQLException {
    try (Connection connection = settings.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "create table bare (id bigserial primary key, message_id uuid not null default gen_random_uuid(),"
              + " aggregate_type text not null, aggregate_id text not null, event_type text not null,"
              + " payload bytea not null, created_at timestamptz not null default clock_timestamp())");
    }
  }

  void fill(int count, int bytes) throws SQLException {
    SqlFill.run(
        settings,
        "insert into bare (aggregate_type, aggregate_id, event_type, payload)"
            + " select 'account', aggregate_id, 'account_changed', payload from ",
        new Backlog(count, 0, bytes));
  }

  /** Nanoseconds until so many rows have been read. */
  long read(int count) throws SQLException {
    try (Connection connection = settings.connect();
        PreparedStatement page =
            connection.prepareStatement(
                "select id, message_id, aggregate_type, aggregate_id, event_type, payload, created_at"
                    + " from bare where id > ? order by id limit "
                    + PAGE)) {
      long begun = System.nanoTime();
      long last = 0;
      for (int read = 0; read < count; ) {
        page.setLong(1, last);
        int before = read;
        try (ResultSet rows = page.executeQuery()) {
          while (rows.next()) {
            last = rows.getLong(1);
            read += rows.getBytes(6).length > 0 && rows.getString(4) != null ? 1 : 0;
          }
        }
        if (read == before) {
          throw new IllegalStateException("%d of %d rows are there".formatted(read, count));
        }
      }
      return System.nanoTime() - begun;
    }
  }
}
