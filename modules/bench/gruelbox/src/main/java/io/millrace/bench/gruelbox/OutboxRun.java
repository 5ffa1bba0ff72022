package io.millrace.bench.gruelbox;

import com.gruelbox.transactionoutbox.DefaultPersistor;
import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import com.gruelbox.transactionoutbox.TransactionOutboxEntry;
import com.gruelbox.transactionoutbox.TransactionOutboxListener;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.millrace.bench.spi.SubjectSettings;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * One life of the library with all that it needs; its tables are laid by it when there are none.
 */
final class OutboxRun implements AutoCloseable {
  static final int THREADS = 32;

  /** After which an invocation that was scheduled or tried is due again. */
  static final Duration ATTEMPT_FREQUENCY = Duration.ofSeconds(10);

  private static final int QUEUE = 1_000;
  private static final long STOP_WAIT_S = 60;

  private final HikariDataSource pool;
  private final KafkaAnnouncer announcer;
  private final ThreadPoolExecutor threads;
  private final WriterTransactions transactions;
  private final TransactionOutbox outbox;

  /** Work that a transaction has scheduled. */
  interface Scheduling {
    void run(Announcer announcer) throws Exception;
  }

  OutboxRun(SubjectSettings settings) {
    pool = pool(settings);
    announcer = new KafkaAnnouncer(settings);
    // The library's own executor has one thread, and drops what finds its queue full until it is
    // due again: whoever submits faster than the threads process lends a hand instead.
    threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(QUEUE),
            new ThreadPoolExecutor.CallerRunsPolicy());
    transactions = new WriterTransactions(TransactionManager.fromDataSource(pool));
    outbox =
        TransactionOutbox.builder()
            .transactionManager(transactions)
            .persistor(DefaultPersistor.builder().dialect(Dialect.POSTGRESQL_9).build())
            .instantiator(Instantiator.using(type -> announcer))
            .submitter(Submitter.withExecutor(threads))
            .flushBatchSize(settings.number("batch"))
            .attemptFrequency(ATTEMPT_FREQUENCY)
            .listener(new FailureReport())
            .build();
  }

  private static HikariDataSource pool(SubjectSettings settings) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(settings.jdbcUrl());
    config.setUsername(settings.user());
    config.addDataSourceProperty("prepareThreshold", "1");
    // One for each thread, and for the one that flushes.
    config.setMaximumPoolSize(THREADS + 1);
    config.setAutoCommit(false);
    return new HikariDataSource(config);
  }

  /** For invocations that are stored by the transaction's commit, and submitted after it. */
  void schedule(WriterTransaction transaction, Scheduling scheduling) {
    transactions.during(
        transaction,
        () -> {
          try {
            scheduling.run(outbox.schedule(Announcer.class));
          } catch (Exception e) {
            throw new IllegalStateException("not scheduled", e);
          }
        });
  }

  /** Submits a batch of what is due; whether there was any. */
  boolean flush() {
    return outbox.flush();
  }

  /** Returns when what was submitted is settled. */
  @Override
  public void close() {
    threads.shutdown();
    try {
      if (!threads.awaitTermination(STOP_WAIT_S, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the submitter's threads have not ended within 60 s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } finally {
      announcer.close();
      pool.close();
    }
  }

  private static final class FailureReport implements TransactionOutboxListener {
    @Override
    public void failure(TransactionOutboxEntry entry, Throwable cause) {
      System.err.println("not announced, to be tried again: " + entry.getId() + ", " + cause);
    }
  }
}
