package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.core.cursor.Cursor;
import io.millrace.core.cursor.Incarnation;
import io.millrace.core.cursor.Snapshot;
import io.millrace.core.lease.Claim;
import io.millrace.core.lease.NodeRole;
import io.millrace.core.lease.ShardRow;
import io.millrace.devstack.PostgresServer;
import io.millrace.devstack.PostgresSpec;
import io.millrace.port.LoadedCursor;
import io.millrace.port.Receipt;
import io.millrace.port.ReceiptOutcome;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Claims against receipts, and receipts against the death of the server. */
class ReceiptFenceIT {
  private static final int SHARD = 0;
  private static final int ROUNDS = 10;
  private static final int RECEIPTS_AFTER_THE_CLAIM = 20;
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final String WAITING_FOR_THE_SHARD =
      "select count(*) from pg_locks where locktype = 'advisory' and not granted";
  private static final Cursor CURSOR = Cursor.of(new Snapshot("10:20:"), 7);

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  /** An owner that records as fast as it is answered, until it is told to come to an end. */
  private static final class Recorder {
    private final PgReceiptStore receipts;
    private final Claim claim;
    private final Incarnation life;
    private final AtomicLong counter;
    private final Queue<ReceiptOutcome> outcomes = new ConcurrentLinkedQueue<>();
    private volatile int left = Integer.MAX_VALUE;

    Recorder(PgReceiptStore receipts, Claim claim, Incarnation life, AtomicLong counter) {
      this.receipts = receipts;
      this.claim = claim;
      this.life = life;
      this.counter = counter;
    }

    Future<Void> run() {
      if (left <= 0) {
        return Future.succeededFuture();
      }
      left--;
      return receipts
          .record(Nodes.receipt(SHARD, claim, life, counter.incrementAndGet(), CURSOR, 0))
          .compose(
              outcome -> {
                outcomes.add(outcome);
                return run();
              });
    }

    long count(ReceiptOutcome outcome) {
      return outcomes.stream().filter(o -> o == outcome).count();
    }
  }

  @Test
  void a_claim_gives_way_to_a_receipt_that_is_not_committed_yet() throws SQLException {
    Nodes nodes = new Nodes(pg.pool());
    Claim claim = nodes.claim(SHARD);
    Connection owner = pg.connect(PgFixture.NODE);
    owner.setAutoCommit(false);
    assertThat(PgFixture.value(owner, recordCall(claim, nodes))).isEqualTo("recorded");
    UUID other = nodes.register(NodeRole.RELAY);

    assertThat(nodes.tryClaim(other, SHARD)).isEmpty();
    owner.commit();
    assertThat(nodes.tryClaim(other, SHARD)).isPresent();
  }

  @Test
  void a_receipt_that_waited_for_a_claim_looks_again_and_is_fenced() throws Exception {
    Nodes nodes = new Nodes(pg.pool());
    Claim claim = nodes.claim(SHARD);
    UUID other = nodes.register(NodeRole.RELAY);
    ShardRow seen = nodes.row(SHARD);
    Connection claiming = pg.connect(PgFixture.NODE);
    claiming.setAutoCommit(false);
    assertThat(
            PgFixture.value(
                claiming,
                "select epoch from millrace.claim_shard(%d, '%s', %d, '%s', 0)"
                    .formatted(SHARD, other, seen.epoch(), seen.owner())))
        .isEqualTo("2");
    String call = recordCall(claim, nodes);
    Connection owner = pg.connect(PgFixture.NODE);
    CompletableFuture<String> outcome = CompletableFuture.supplyAsync(() -> valueOf(owner, call));
    await().atMost(LIMIT).until(() -> pg.value(WAITING_FOR_THE_SHARD).equals("1"));

    claiming.commit();

    assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo("fenced");
    assertThat(countOf(claim)).isEqualTo("0");
  }

  private static String recordCall(Claim claim, Nodes nodes) {
    return "select millrace.record_receipt(%d, '', '%s', %d, '%s', 1, '10:20:', 1, null, null, null, 0, 0, null, null, null, null, 0)"
        .formatted(SHARD, claim.token(), claim.epoch(), nodes.incarnation(SHARD).text());
  }

  private static String valueOf(Connection connection, String sql) {
    try {
      return PgFixture.value(connection, sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void once_a_claim_has_been_answered_no_receipt_of_the_old_owner_appears() {
    PgReceiptStore receipts = new PgReceiptStore(pg.pool());
    PgDatabase database = pg.pool();
    Nodes nodes = new Nodes(database);
    List<UUID> owners = List.of(nodes.register(NodeRole.RELAY), nodes.register(NodeRole.RELAY));
    Claim claim = nodes.tryClaim(owners.get(0), SHARD).orElseThrow();
    AtomicLong counter = new AtomicLong();
    for (int round = 1; round <= ROUNDS; round++) {
      Recorder old = new Recorder(receipts, claim, nodes.incarnation(SHARD), counter);
      Future<Void> both = Future.join(old.run(), old.run()).mapEmpty();
      await().atMost(LIMIT).until(() -> old.count(ReceiptOutcome.RECORDED) > 5);
      Claim next = takeOver(new PgShardStore(database), owners.get(round % 2), nodes.row(SHARD));
      String atTheClaim = countOf(claim);
      old.left = RECEIPTS_AFTER_THE_CLAIM;
      PgFixture.await(both);

      assertThat(countOf(claim)).as("receipts of epoch %d", claim.epoch()).isEqualTo(atTheClaim);
      assertThat(old.count(ReceiptOutcome.RECORDED)).isEqualTo(Long.parseLong(atTheClaim));
      assertThat(old.count(ReceiptOutcome.FENCED)).isPositive();
      claim = next;
    }
  }

  /** A claim gives way to a receipt that is being written, so it may take some. */
  private static Claim takeOver(PgShardStore shards, UUID node, ShardRow seen) {
    return await()
        .pollInSameThread()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .atMost(LIMIT)
        .until(() -> PgFixture.await(shards.claim(node, seen, 0L)), Optional::isPresent)
        .orElseThrow();
  }

  private String countOf(Claim claim) {
    return pg.value("select count(*) from millrace.receipt where epoch = " + claim.epoch());
  }

  @Test
  void receipts_survive_the_death_of_the_server_and_the_life_is_another_one() {
    Vertx vertx = Vertx.vertx();
    try (PostgresServer server = PostgresServer.start(PostgresSpec.fromSystemProperty())) {
      server.createDatabase("shop");
      new SchemaMigration(PgFixture.login(server, "shop"), PgFixture.layout(2, 1_000, 3)).migrate();
      PgFixture.execute(
          server, "shop", "create role node login in role millrace_relay, millrace_maintenance");
      PgDatabase database = PgFixture.pool(vertx, server, "shop");
      PgReceiptStore receipts = new PgReceiptStore(database);
      Nodes nodes = new Nodes(database);
      Claim claim = nodes.claim(SHARD);
      LoadedCursor before = PgFixture.await(receipts.load(SHARD, Receipt.MAIN_LANE));
      assertThat(
              PgFixture.await(
                  receipts.record(Nodes.receipt(SHARD, claim, before.incarnation(), 1, CURSOR, 0))))
          .isEqualTo(ReceiptOutcome.RECORDED);
      // A receipt commits asynchronously; the next durable commit takes it along.
      nodes.register(NodeRole.RELAY);

      server.kill();
      server.restart();

      LoadedCursor after = loadAgain(receipts);
      assertThat(after.cursor()).isEqualTo(CURSOR);
      assertThat(after.incarnation().isSameAs(before.incarnation())).isFalse();
      assertThat(
              PgFixture.await(
                  receipts.record(Nodes.receipt(SHARD, claim, before.incarnation(), 2, CURSOR, 0))))
          .isEqualTo(ReceiptOutcome.OTHER_LIFE);
      assertThat(
              PgFixture.await(
                  receipts.record(Nodes.receipt(SHARD, claim, after.incarnation(), 2, CURSOR, 0))))
          .isEqualTo(ReceiptOutcome.RECORDED);
      PgFixture.await(database.close());
    } finally {
      PgFixture.await(vertx.close());
    }
  }

  /** The pool may still hand out connections that died with the server. */
  private static LoadedCursor loadAgain(PgReceiptStore receipts) {
    return await()
        .atMost(LIMIT)
        .ignoreExceptions()
        .until(
            () -> PgFixture.await(receipts.load(SHARD, Receipt.MAIN_LANE)),
            loaded -> loaded != null);
  }
}
