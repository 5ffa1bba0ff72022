package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.message.Uuid7;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class UuidIT {
  @RegisterExtension static final PgFixture pg = PgFixture.sharedByTheClass();

  @Test
  void it_is_a_version_7_of_the_right_variant_with_the_time_of_now() throws SQLException {
    Connection connection = pg.connect(PgFixture.APPLICATION);
    long before = databaseMs(connection);
    UUID id = UUID.fromString(PgFixture.value(connection, "select millrace.uuid_v7()"));
    long after = databaseMs(connection);

    assertThat(id.version()).isEqualTo(7);
    assertThat(id.variant()).isEqualTo(2);
    assertThat(Uuid7.isUuid7(id)).isTrue();
    assertThat(Uuid7.timeOf(id).toEpochMilli()).isBetween(before - 1, after + 1);
  }

  private static long databaseMs(Connection connection) throws SQLException {
    return Long.parseLong(
        PgFixture.value(
            connection, "select (extract(epoch from clock_timestamp()) * 1000)::bigint"));
  }

  @Test
  void every_one_is_another_one() {
    List<String> ids = pg.column("select millrace.uuid_v7() from generate_series(1, 5000)");

    assertThat(new HashSet<>(ids)).hasSize(5_000);
    assertThat(ids).allSatisfy(id -> assertThat(id.charAt(14)).isEqualTo('7'));
    assertThat(ids).allSatisfy(id -> assertThat("89ab").contains(id.substring(19, 20)));
  }

  @Test
  void its_milliseconds_can_be_read_back() {
    for (long atMs : new long[] {0, 1, 1_700_000_000_123L, (1L << 47) + 5, (1L << 48) - 1}) {
      UUID id = Uuid7.of(atMs, -1, -1);
      assertThat(pg.value("select millrace.uuid_v7_ms('%s')".formatted(id)))
          .isEqualTo(Long.toString(atMs));
    }
  }

  @Test
  void a_later_one_sorts_behind_an_earlier_one() {
    assertThat(
            pg.column(
                """
                with recursive one(n, id) as (
                  select 1, millrace.uuid_v7()
                  union all
                  select n + 1, millrace.uuid_v7() from one where n < 3000
                )
                select a.n from one a, one b
                where millrace.uuid_v7_ms(a.id) < millrace.uuid_v7_ms(b.id) and a.id > b.id
                limit 1
                """))
        .isEmpty();
  }
}
