package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.DatabaseConfig;
import io.millrace.core.config.MillraceConfig;
import io.millrace.devstack.PgBouncerServer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Statements behind a PgBouncer in transaction mode that has two sessions for all. */
@Tag("any-database")
class PoolerIT {
  private static final int CLIENTS = 20;
  private static final int ROUNDS = 200;

  @RegisterExtension static final PgFixture pg = PgFixture.sharedByTheClass();

  private Vertx vertx;
  private PgBouncerServer pooler;

  @BeforeEach
  void start() {
    vertx = Vertx.vertx();
    pooler =
        PgBouncerServer.start(
            pg.server(),
            Map.of(
                "default_pool_size",
                "2",
                "ignore_startup_parameters",
                "extra_float_digits, options, statement_timeout"));
  }

  @AfterEach
  void end() {
    PgFixture.await(vertx.close());
    pooler.close();
  }

  private PgDatabase open(Map<String, ?> own) {
    Map<String, Object> values = new HashMap<>();
    values.put("database.host", pooler.host());
    values.put("database.port", pooler.port());
    values.put("database.name", pg.login().database());
    values.put("database.user", PgFixture.NODE);
    values.put("database.ssl_mode", "disable");
    values.put("database.pooler", "transaction");
    values.put("database.pool_size_max", CLIENTS);
    values.putAll(own);
    DatabaseConfig config = MillraceConfig.from(values).database();
    return PgDatabase.open(vertx, config, "test");
  }

  private static Future<RowSet<Row>> ask(PgDatabase database, String sql) {
    return database.runForeign(sql, Tuple.tuple());
  }

  private static String text(PgDatabase database, String sql) {
    return PgFixture.await(ask(database, sql)).iterator().next().getString(0);
  }

  @Test
  void many_connections_share_few_sessions_and_every_statement_is_known_to_each() {
    PgDatabase database = open(Map.of());
    List<Future<RowSet<Row>>> answers = new ArrayList<>();
    for (int i = 0; i < ROUNDS; i++) {
      // Few texts, again and again: what is prepared in one session is not there in the other.
      String sql = "select $1::integer as n, pg_backend_pid() as session, " + i % 5 + " as text";
      answers.add(database.runForeign(sql, Tuple.of(i)));
    }
    PgFixture.await(Future.all(answers));

    List<Row> rows = answers.stream().map(a -> a.result().iterator().next()).toList();
    for (int i = 0; i < ROUNDS; i++) {
      assertThat(rows.get(i).getInteger("n")).isEqualTo(i);
      assertThat(rows.get(i).getInteger("text")).isEqualTo(i % 5);
    }
    assertThat(rows.stream().map(row -> row.getInteger("session")).distinct()).hasSize(2);
  }

  @Test
  void the_server_cancels_a_statement_that_takes_too_long() {
    PgDatabase database = open(Map.of("database.statement_timeout_ms", 1_000));

    assertThatThrownBy(() -> text(database, "select pg_sleep(20)::text"))
        .isInstanceOf(PgException.class)
        .satisfies(e -> assertThat(((PgException) e).getSqlState()).isEqualTo("57014"));
  }

  @Test
  void the_limits_of_a_statement_are_gone_from_the_session_that_others_get() {
    PgDatabase database = open(Map.of("database.statement_timeout_ms", 1_000));

    assertThat(text(database, "select current_setting('statement_timeout')")).isEqualTo("1s");
    assertThat(text(database, "select current_setting('idle_in_transaction_session_timeout')"))
        .isEqualTo("3s");
    assertThat(PgFixture.await(database.pool().query("show statement_timeout").execute()))
        .first()
        .satisfies(row -> assertThat(row.getString(0)).isEqualTo("0"));
  }

  @Test
  void a_pass_has_its_limit_as_well() {
    PgDatabase database = open(Map.of("database.statement_timeout_ms", 1_000));
    PgDatabase.Query looks = new PgDatabase.Query(Statement.READ_SESSION, Tuple.tuple());

    RowSet<Row> answer = PgFixture.await(database.runPass(List.of(looks))).get(0);

    assertThat(answer.iterator().next().getLong("statement_timeout_ms")).isEqualTo(1_000);
  }

  @Test
  void a_pooler_is_told_from_the_server_itself() {
    assertThat(PgFixture.await(PgSession.read(open(Map.of()))).isPooled()).isTrue();
    assertThat(PgFixture.await(PgSession.read(open(Map.of("database.pooler", "none")))).isPooled())
        .isTrue();
    Map<String, Object> direct =
        Map.of("database.port", pg.server().port(), "database.pooler", "none");
    assertThat(PgFixture.await(PgSession.read(open(direct))))
        .isEqualTo(new PgSession(false, 30_000));
  }

  @Test
  void a_pooler_without_a_word_about_settings_refuses_those_of_a_session() {
    pooler.close();
    pooler = PgBouncerServer.start(pg.server(), Map.of("default_pool_size", "2"));

    assertThatThrownBy(
            () -> PgFixture.await(PgSession.read(open(Map.of("database.pooler", "none")))))
        .satisfies(e -> assertThat(PgSession.isRefusedGreeting(e)).isTrue());
    assertThat(PgFixture.await(PgSession.read(open(Map.of()))).isPooled()).isTrue();
  }
}
