package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.cursor.Snapshot;
import io.millrace.port.Traffic;
import io.millrace.port.Traffic.ShardTraffic;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a page shows of how fast things move. */
class TrafficIT {
  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private PgStatusStore store;
  private Connection connection;
  private int counter;

  @BeforeEach
  void open() {
    store = new PgStatusStore(pg.pool());
    connection = pg.connect(PgFixture.OPERATOR);
  }

  private Traffic look(@Nullable Snapshot since) {
    return PgFixture.await(store.traffic(since));
  }

  private void receipt(Connection by, int shard, int messages, long lastId) throws SQLException {
    try (Statement statement = by.createStatement()) {
      statement.execute(
          "insert into millrace.receipt (shard, epoch, counter, seen, head, seq_before,"
              + " message_count, first_id, last_id, published_at) select %d, 1, %d,"
                  .formatted(shard, ++counter)
              + " pg_current_snapshot(), %1$d, 0, %2$d, %1$d, %1$d, coalesce((select created_at"
                  .formatted(lastId, messages)
              + " + interval '70 milliseconds' from millrace.outbox where id = %d), now())"
                  .formatted(lastId));
    }
  }

  @Test
  void a_first_look_counts_nothing_and_each_further_one_what_came_since_once() throws SQLException {
    receipt(connection, 0, 100, 1);

    Traffic first = look(null);
    assertThat(first.shards()).isEmpty();

    receipt(connection, 0, 3, 1);
    receipt(connection, 0, 4, 1);
    receipt(connection, 2, 5, 1);
    receipt(connection, 3, 0, 1);
    Traffic second = look(first.looked());
    assertThat(second.shards())
        .containsExactly(new ShardTraffic(0, 7, null), new ShardTraffic(2, 5, null));

    assertThat(look(second.looked()).shards()).isEmpty();
  }

  @Test
  void a_receipt_that_was_being_written_at_one_look_is_counted_at_the_next() throws SQLException {
    Connection slow = pg.connect(PgFixture.OPERATOR);
    slow.setAutoCommit(false);
    receipt(slow, 1, 9, 1);
    receipt(connection, 0, 1, 1);

    Traffic before = look(look(null).looked());
    assertThat(before.shards()).isEmpty();

    slow.commit();
    assertThat(look(before.looked()).shards()).containsExactly(new ShardTraffic(1, 9, null));
  }

  @Test
  void the_last_message_of_the_newest_batch_says_how_long_it_took() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "select millrace.append('orders', 'order', '7', 'placed', ''::bytea) from"
              + " generate_series(1, 2)");
    }
    int shard = number("select min(shard) from millrace.outbox");
    long last = number("select max(id) from millrace.outbox");
    Traffic first = look(null);

    receipt(connection, shard, 1, last - 1);
    receipt(connection, shard, 1, last);

    assertThat(look(first.looked()).shards()).containsExactly(new ShardTraffic(shard, 2, 70L));
  }

  private int number(String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        var rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getInt(1);
    }
  }
}
