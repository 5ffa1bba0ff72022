package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ShardHashIT {
  @RegisterExtension static final PgFixture pg = PgFixture.sharedByTheClass();

  static Stream<Arguments> aggregates() {
    return Stream.of(
        Arguments.of("order", "1"),
        Arguments.of("order", "00000000-0000-7000-8000-000000000000"),
        Arguments.of("ab", "c"),
        Arguments.of("a", "bc"),
        Arguments.of("1", ":x"),
        Arguments.of("Auftrag", "Straße 7, Köln"),
        Arguments.of("注文", "東京"),
        Arguments.of("\uD83D\uDCE6", "parcel \uD83D\uDE9A"),
        Arguments.of("type with spaces", " '\\\"\n\t"),
        Arguments.of("t".repeat(200), "i".repeat(400)),
        Arguments.of("é".repeat(200), "\uD83D\uDE9A".repeat(400)));
  }

  @ParameterizedTest
  @MethodSource("aggregates")
  void the_database_hashes_as_this_test_does(String type, String id) throws SQLException {
    assertThat(shardOf(type, id)).isEqualTo(ShardHash.of(type, id, PgFixture.SHARDS));
  }

  @Test
  void the_hash_is_the_same_as_ever() throws SQLException {
    // Fixed vectors, for 2^32 mod 4: stored in every row, so they may never change.
    assertThat(shardOf("order", "1")).isEqualTo(ShardHash.of("order", "1", 4));
    assertThat(pg.value("select encode(sha256('5:order1'), 'hex')")).startsWith(ORDER_1_PREFIX);
    assertThat(shardOf("order", "1")).isEqualTo((int) (Long.parseLong(ORDER_1_PREFIX, 16) % 4));
  }

  /** The first four bytes of sha256("5:order1"). */
  private static final String ORDER_1_PREFIX = "aba545d1";

  @Test
  void the_stored_column_is_the_function() throws SQLException {
    Connection writer = pg.connect(PgFixture.APPLICATION);
    for (int i = 0; i < 50; i++) {
      PgFixture.append(writer, "a" + i);
    }

    assertThat(
            pg.column(
                "select aggregate_id from millrace.outbox"
                    + " where shard <> millrace.shard_of(aggregate_type, aggregate_id)"))
        .isEmpty();
    assertThat(pg.column("select distinct shard from millrace.outbox")).hasSize(PgFixture.SHARDS);
  }

  @Test
  void many_aggregates_meet_every_shard_about_equally() {
    Set<String> counts =
        new HashSet<>(
            pg.column(
                "select count(*) from generate_series(1, 8000) i"
                    + " group by millrace.shard_of('order', i::text)"));

    assertThat(counts).allSatisfy(n -> assertThat(Integer.parseInt(n)).isBetween(1_800, 2_200));
  }

  private int shardOf(String type, String id) throws SQLException {
    try (PreparedStatement statement =
        pg.connect(PgFixture.APPLICATION).prepareStatement("select millrace.shard_of(?, ?)")) {
      statement.setString(1, type);
      statement.setString(2, id);
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return rows.getInt(1);
      }
    }
  }
}
