package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.lease.Claim;
import io.millrace.core.ring.RingStep;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server on which nobody is a superuser: the database's owner may make roles, and no more. */
class ManagedServerIT {
  private static final String INSTALLER = "installer";

  @RegisterExtension static final PgFixture pg = PgFixture.sharedByTheClass();

  private Vertx vertx;
  private String database;

  @BeforeEach
  void giveTheDatabaseAway() {
    vertx = Vertx.vertx();
    database = pg.emptyDatabase();
    PgFixture.execute(
        pg.server(),
        database,
        "do $$ begin if not exists (select from pg_roles where rolname = 'installer') then"
            + " create role installer login nosuperuser createrole; end if; end $$",
        "alter database " + database + " owner to " + INSTALLER);
  }

  @AfterEach
  void close() {
    PgFixture.await(vertx.close());
  }

  @Test
  void its_owner_lays_the_schema_and_nodes_relay_and_maintain() throws Exception {
    var login =
        new SchemaMigration.Login(
            pg.server().host(), pg.server().port(), database, INSTALLER, "", "disable");
    new SchemaMigration(
            login, PgFixture.layout(PgFixture.SHARDS, PgFixture.PAYLOAD_BYTES_MAX, PgFixture.SLOTS))
        .migrate();
    PgDatabase node = PgFixture.pool(vertx, pg.server(), database);
    Nodes nodes = new Nodes(node);
    ShardReaders relay = new ShardReaders(node, nodes);
    PgRingStore ring = new PgRingStore(node, 200, 0);
    Claim claim = nodes.claimMaintenance(ring);
    try (Connection application =
        DriverManager.getConnection(pg.server().jdbcUrl(database), PgFixture.APPLICATION, "")) {
      PgFixture.append(application, "a");
    }

    take(ring, claim, new RingStep.Prepare(1), new RingStep.Turn(1), new RingStep.Close(0));
    relay.publishAll();
    take(ring, claim, new RingStep.MarkPublished(0), new RingStep.Truncate(0));
    take(ring, claim, new RingStep.Detach(2), new RingStep.Drop(2), new RingStep.Attach(2));
    PgFixture.await(ring.rotate(claim));
    PgFixture.await(node.close());

    assertThat(relay.ids()).hasSize(1);
    assertThat(
            pg.column(database, "select tableowner from pg_tables where schemaname = 'millrace'"))
        .isNotEmpty()
        .isSubsetOf(List.of(INSTALLER));
  }

  private static void take(PgRingStore ring, Claim claim, RingStep... steps) {
    for (RingStep step : steps) {
      assertThat(PgFixture.await(ring.step(claim, step))).as(step.toString()).isEmpty();
    }
  }
}
