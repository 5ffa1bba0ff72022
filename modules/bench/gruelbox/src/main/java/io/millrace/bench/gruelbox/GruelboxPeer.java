package io.millrace.bench.gruelbox;

import com.gruelbox.transactionoutbox.Invocation;
import com.gruelbox.transactionoutbox.InvocationSerializer;
import io.millrace.bench.spi.Appender;
import io.millrace.bench.spi.Backlog;
import io.millrace.bench.spi.Peer;
import io.millrace.bench.spi.SqlFill;
import io.millrace.bench.spi.SubjectSettings;
import java.io.StringWriter;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Option: {@code batch}, entries of one flush. */
final class GruelboxPeer implements Peer {
  private final SubjectSettings settings;
  private @Nullable OutboxRun run;
  private @Nullable FlushLoop loop;

  GruelboxPeer(SubjectSettings settings) {
    this.settings = settings;
  }

  @Override
  public String description() {
    return "gruelbox transactionoutbox-core 4.2.268, the tables as it lays them; after the commit a writer's process"
        + " submits what it has scheduled, and one thread flushes without a pause while anything is due:"
        + " flushBatchSize="
        + settings.number("batch")
        + ", attemptFrequency="
        + OutboxRun.ATTEMPT_FREQUENCY.toSeconds()
        + " s; "
        + OutboxRun.THREADS
        + " threads with a HikariCP connection each, every message in a transaction of its own: lock, publish, await"
        + " the acknowledgement, delete; linger.ms=0; this version promises no order; appended by schedule()";
  }

  /** The library does. */
  @Override
  public void laySchema() {
    new OutboxRun(settings).close();
  }

  /**
   * Writes on the server the rows that the library writes, which would take it hours, due at once
   * instead of after {@link OutboxRun#ATTEMPT_FREQUENCY}.
   */
  @Override
  public void fill(Backlog backlog) throws SQLException {
    SqlFill.run(
        settings,
        "insert into txno_outbox"
            + " (id, invocation, nextattempttime, attempts, blocked, processed, version)"
            + " select gen_random_uuid()::text, replace(replace(replace('"
            + serialized("$id$", "$aggregate$", "$payload$")
            + "', '$id$', gen_random_uuid()::text), '$aggregate$', aggregate_id),"
            + " '$payload$', convert_from(payload, 'UTF8')), localtimestamp(3), 0, false, false, 0 from ",
        backlog);
  }

  /** By the library, so that it is in its own format. */
  private static String serialized(String... arguments) {
    StringWriter text = new StringWriter();
    Class<?>[] types = {String.class, String.class, String.class};
    InvocationSerializer.createDefaultJsonSerializer()
        .serializeInvocation(
            new Invocation(Announcer.class.getName(), "announce", types, arguments), text);
    return text.toString();
  }

  @Override
  public Appender appender() throws SQLException {
    return new GruelboxAppender(run(), settings.connect());
  }

  private OutboxRun run() {
    OutboxRun running = run;
    if (running == null) {
      running = new OutboxRun(settings);
      run = running;
    }
    return running;
  }

  @Override
  public Optional<String> oneStatement() {
    return Optional.empty();
  }

  @Override
  public void startRelay() {
    loop = FlushLoop.start(run());
  }

  /** Nothing is divided: each process takes what no other has locked. */
  @Override
  public boolean isDivided(int relays) {
    return true;
  }

  @Override
  public void stopRelay() throws InterruptedException {
    FlushLoop looping = loop;
    if (looping != null) {
      looping.stop();
      loop = null;
    }
    close();
  }

  @Override
  public void close() {
    OutboxRun running = run;
    if (running != null) {
      running.close();
      run = null;
    }
  }
}
