package io.millrace.bench.namastack;

import io.millrace.bench.spi.Backlog;
import io.millrace.bench.spi.Payloads;
import io.millrace.bench.spi.SqlFill;
import io.millrace.bench.spi.SubjectSettings;
import io.namastack.outbox.partition.PartitionHasher;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Writes on the server the rows that the library writes, which would take it hours: one by the
 * library itself is their pattern.
 */
final class BacklogRows {
  private static final String KEY = "$key$";
  private static final String PATTERN =
      """
      create table backlog_pattern as
      select status, record_type, payload, context, failure_count, handler_id
        from outbox_record where record_key = '%s'
      """
          .formatted(KEY);

  private static final String INSERT =
      """
      insert into outbox_record (id, status, record_key, record_type, payload, context, created_at,
                                 failure_count, next_retry_at, partition_no, handler_id)
      select gen_random_uuid()::text, p.status, aggregate_id, p.record_type,
             replace(replace(p.payload, '$id$', gen_random_uuid()::text),
                     '$payload$', convert_from(backlog.payload, 'UTF8')),
             p.context, now(), p.failure_count, now(),
             (select partition_no from backlog_partition where record_key = aggregate_id),
             p.handler_id
        from backlog_pattern p,
      """;

  private BacklogRows() {}

  static void fill(SubjectSettings settings, OutboxApplication application, Backlog backlog)
      throws SQLException {
    try (Connection connection = settings.connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      application.during(
          connection,
          () -> application.outbox().schedule(new AccountChanged("$id$", "$payload$"), KEY));
      statement.execute(PATTERN);
      statement.execute("delete from outbox_record where record_key = '" + KEY + "'");
      statement.execute(
          "create table backlog_partition (record_key text primary key, partition_no int)");
      partitions(connection);
      connection.commit();
      SqlFill.run(settings, INSERT, backlog);
      statement.execute("drop table backlog_pattern, backlog_partition");
      connection.commit();
    }
  }

  /** By the library's own hash of a key. */
  private static void partitions(Connection connection) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("insert into backlog_partition values (?, ?)")) {
      for (int i = 0; i < Payloads.AGGREGATES; i++) {
        String key = Payloads.aggregateId(i);
        insert.setString(1, key);
        insert.setInt(2, PartitionHasher.INSTANCE.getPartitionForRecordKey(key));
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }
}
