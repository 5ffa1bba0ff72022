package io.millrace.bench.classic;

import io.millrace.bench.spi.Appender;
import io.millrace.bench.spi.Backlog;
import io.millrace.bench.spi.Peer;
import io.millrace.bench.spi.ProducerSettings;
import io.millrace.bench.spi.SqlAppender;
import io.millrace.bench.spi.SqlFill;
import io.millrace.bench.spi.SubjectSettings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Options: {@code batch}, rows of one transaction, and {@code layout}, a {@link Layout}. */
final class ClassicPeer implements Peer {
  private static final long CALL_WAIT_S = 120;

  /** Whether so many sessions of this name are there, and one of them has the lock. */
  private static final String DIVIDED =
      """
      select count(distinct a.pid) = %d and count(l.pid) = 1
        from pg_stat_activity a left join pg_locks l
          on l.pid = a.pid and l.locktype = 'advisory' and l.granted
       where a.datname = current_database() and a.application_name = '%s'
      """;

  private final SubjectSettings settings;
  private final Layout layout;
  private final Vertx vertx = Vertx.vertx();
  private @Nullable ClassicRelay relay;

  ClassicPeer(SubjectSettings settings) {
    this.settings = settings;
    this.layout = Layout.valueOf(settings.text("layout"));
  }

  @Override
  public String description() {
    return layout.description()
        + "; one worker, whose session holds an advisory lock: select ... order by id"
        + " limit "
        + settings.number("batch")
        + " for update skip locked, publish ("
        + ProducerSettings.DESCRIPTION
        + "), await the acknowledgements, update, commit;"
        + " polls every 10 ms when idle; a standby asks for the lock every 100 ms; autovacuum at 2 %; appended by one JDBC insert";
  }

  @Override
  public void laySchema() throws SQLException {
    try (Connection connection = settings.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(layout.tables());
    }
  }

  @Override
  public void fill(Backlog backlog) throws SQLException {
    SqlFill.run(
        settings,
        "insert into outbox (aggregate_type, aggregate_id, event_type, payload)"
            + " select 'account', aggregate_id, 'account_changed', payload from ",
        backlog);
  }

  @Override
  public Appender appender() throws SQLException {
    return new SqlAppender(
        settings.connect(),
        "insert into outbox (aggregate_type, aggregate_id, event_type, payload) values (?, ?, ?, ?)");
  }

  @Override
  public Optional<String> oneStatement() {
    return Optional.of(
        """
        with changed as (
          update account set balance = balance + 1, revision = revision + 1 where id = ? returning id)
        insert into outbox (aggregate_type, aggregate_id, event_type, payload)
        select 'account', ?, 'account_changed', ? from changed
        """);
  }

  @Override
  public void startRelay() throws Exception {
    ClassicRelay started = ClassicRelay.start(vertx, settings, layout);
    relay = started;
    await(started.begun());
  }

  @Override
  public boolean isDivided(int relays) throws SQLException {
    return settings.isTrue(DIVIDED.formatted(relays, ClassicRelay.APPLICATION));
  }

  @Override
  public void stopRelay() throws Exception {
    ClassicRelay started = relay;
    if (started != null) {
      await(started.stop());
      relay = null;
    }
  }

  private static void await(Future<Void> future) throws Exception {
    future.toCompletionStage().toCompletableFuture().get(CALL_WAIT_S, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    vertx.close();
  }
}
