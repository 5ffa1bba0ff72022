package io.millrace.bench.namastack;

import io.millrace.bench.spi.Appender;
import io.millrace.bench.spi.Backlog;
import io.millrace.bench.spi.Peer;
import io.millrace.bench.spi.SubjectSettings;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Option: {@code batch}, keys of one poll. */
final class NamastackPeer implements Peer {
  /** So many instances own partitions, and no partition is without one. */
  private static final String DIVIDED =
      "select count(distinct instance_id) = %d and count(*) = count(instance_id) from outbox_partition";

  private final SubjectSettings settings;
  private @Nullable OutboxApplication appending;
  private @Nullable OutboxApplication relaying;

  NamastackPeer(SubjectSettings settings) {
    this.settings = settings;
  }

  @Override
  public String description() {
    return "Namastack Outbox 1.6.0 (starter-jdbc) on Spring Boot 4.0.6, the tables as it lays them; one instance with all"
        + " partitions polls for polling.batch-size="
        + settings.number("batch")
        + " keys, again "
        + OutboxApplication.POLL_MS
        + " ms after they are done; "
        + OutboxApplication.THREADS
        + " threads, each with a key: read its records, and for one after the other publish, await the acknowledgement,"
        + " delete; linger.ms=0; writers' processes append only; appended by schedule()";
  }

  /** The library does. */
  @Override
  public void laySchema() {
    OutboxApplication.appending(settings).close();
  }

  @Override
  public void fill(Backlog backlog) throws SQLException {
    BacklogRows.fill(settings, application(), backlog);
  }

  @Override
  public Appender appender() throws SQLException {
    return new NamastackAppender(application(), settings.connect());
  }

  /** The one that runs, or one that only appends. */
  private OutboxApplication application() {
    OutboxApplication running = relaying != null ? relaying : appending;
    if (running == null) {
      running = OutboxApplication.appending(settings);
      appending = running;
    }
    return running;
  }

  @Override
  public Optional<String> oneStatement() {
    return Optional.empty();
  }

  @Override
  public void startRelay() {
    closeAppending();
    relaying = OutboxApplication.relaying(settings);
  }

  @Override
  public boolean isDivided(int relays) throws SQLException {
    return settings.isTrue(DIVIDED.formatted(relays));
  }

  @Override
  public void stopRelay() {
    OutboxApplication running = relaying;
    if (running != null) {
      running.close();
      relaying = null;
    }
  }

  private void closeAppending() {
    OutboxApplication running = appending;
    if (running != null) {
      running.close();
      appending = null;
    }
  }

  @Override
  public void close() {
    stopRelay();
    closeAppending();
  }
}
