package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.lease.Claim;
import io.millrace.core.lease.NodeRole;
import io.millrace.core.lease.ShardRow;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What an operator's pause does in the database, and who may call it. */
class ShardPauseIT {
  private static final int SHARD = 2;

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  private PgDatabase database;
  private Nodes nodes;

  @BeforeEach
  void openTheStore() {
    database = pg.pool();
    nodes = new Nodes(database);
  }

  private String asOperator(String sql) throws SQLException {
    Connection operator = pg.connect(PgFixture.OPERATOR);
    PgFixture.execute(operator, "set role millrace_operator");
    return PgFixture.value(operator, sql);
  }

  @Test
  void a_paused_shard_is_not_claimed_even_on_a_view_from_before_and_is_when_resumed()
      throws SQLException {
    UUID node = nodes.register(NodeRole.RELAY);
    PgShardStore store = new PgShardStore(database);
    ShardRow before = nodes.row(SHARD);

    assertThat(asOperator("select millrace.pause_shard(2, 'tester', 'looking')")).isEqualTo("t");

    assertThat(nodes.row(SHARD).paused()).isTrue();
    assertThat(PgFixture.await(store.claim(node, before, null))).isEmpty();
    assertThat(asOperator("select millrace.resume_shard(2, 'tester')")).isEqualTo("t");
    assertThat(PgFixture.await(store.claim(node, before, null))).isPresent();
  }

  @Test
  void its_owner_may_go_on_until_it_has_given_it_back() throws SQLException {
    Claim claim = nodes.claim(SHARD);
    asOperator("select millrace.pause_shard(2, 'tester')");
    var receipts = new PgReceiptStore(database);
    var loaded = PgFixture.await(receipts.load(SHARD, io.millrace.port.Receipt.MAIN_LANE));

    assertThat(
            PgFixture.await(
                receipts.record(
                    Nodes.receipt(SHARD, claim, loaded.incarnation(), 1, loaded.cursor(), 0))))
        .isEqualTo(io.millrace.port.ReceiptOutcome.RECORDED);
    assertThat(PgFixture.await(new PgShardStore(database).release(SHARD, claim))).isTrue();
  }

  @Test
  void every_change_is_recorded_once_with_who_and_why() throws SQLException {
    asOperator("select millrace.pause_shard(2, 'ada', 'broker is being moved')");
    assertThat(asOperator("select millrace.pause_shard(2, 'bob', 'me too')")).isEqualTo("f");
    asOperator("select millrace.resume_shard(2, 'bob')");
    assertThat(asOperator("select millrace.resume_shard(2, 'bob')")).isEqualTo("f");

    assertThat(
            pg.column(
                "select actor || ' ' || act || ' ' || coalesce(reason, '-') || ' ' || detail"
                    + " from millrace.audit order by audit_id"))
        .containsExactly(
            "ada pause_shard broker is being moved {\"shard\": 2}",
            "bob resume_shard - {\"shard\": 2}");
  }

  @Test
  void who_and_which_must_be_said_and_only_an_operator_may() throws SQLException {
    assertThatThrownBy(() -> asOperator("select millrace.pause_shard(2, ' ')"))
        .hasMessageContaining("pause_shard needs the name of who asks for it");
    for (String shard : List.of("4", "-1", "null")) {
      assertThatThrownBy(() -> asOperator("select millrace.pause_shard(" + shard + ", 'ada')"))
          .hasMessageContaining("shard must be 0 to 3, found " + shard);
    }
    for (String user : List.of(PgFixture.NODE, PgFixture.APPLICATION)) {
      Connection other = pg.connect(user);
      assertThatThrownBy(() -> PgFixture.value(other, "select millrace.pause_shard(2, 'ada')"))
          .hasMessageContaining("permission denied for function pause_shard");
    }
  }
}
