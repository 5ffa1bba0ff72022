package io.millrace.bench.namastack;

import io.millrace.bench.spi.SubjectSettings;
import io.namastack.outbox.Outbox;
import io.namastack.outbox.config.OutboxCoreSchedulingAutoConfiguration;
import java.sql.Connection;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** One life of a Spring application with the library; it lays the tables when there are none. */
final class OutboxApplication implements AutoCloseable {
  static final int THREADS = 32;
  static final int POLL_MS = 10;

  /** Beside the threads: those that poll, beat and rebalance. */
  private static final int MORE_CONNECTIONS = 4;

  private final ConfigurableApplicationContext context;
  private final DataSource pool;
  private final Outbox outbox;

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Beans {
    @Bean
    KafkaHandler kafkaHandler(SubjectSettings settings) {
      return new KafkaHandler(settings);
    }
  }

  /** Starts nothing: the application registers no instance, and so is given no partitions. */
  private static final class Unstarted extends DefaultLifecycleProcessor {
    @Override
    public void onRefresh() {
      // What would be started reads the outbox.
    }
  }

  private OutboxApplication(SubjectSettings settings, boolean relaying) {
    SpringApplication application = new SpringApplication(Beans.class);
    application.setWebApplicationType(WebApplicationType.NONE);
    application.setBannerMode(Banner.Mode.OFF);
    application.setRegisterShutdownHook(false);
    application.setDefaultProperties(properties(settings, relaying));
    application.addInitializers(
        made -> {
          made.getBeanFactory().registerSingleton("settings", settings);
          if (!relaying) {
            made.getBeanFactory()
                .registerSingleton(
                    AbstractApplicationContext.LIFECYCLE_PROCESSOR_BEAN_NAME, new Unstarted());
          }
        });
    context = application.run();
    pool = context.getBean(DataSource.class);
    outbox = context.getBean(Outbox.class);
  }

  /** An application that only appends. */
  static OutboxApplication appending(SubjectSettings settings) {
    return new OutboxApplication(settings, false);
  }

  /** An application that publishes, too. */
  static OutboxApplication relaying(SubjectSettings settings) {
    return new OutboxApplication(settings, true);
  }

  private static Map<String, Object> properties(SubjectSettings settings, boolean relaying) {
    Map<String, Object> properties = new HashMap<>();
    properties.put("logging.level.root", "warn");
    properties.put("spring.datasource.url", settings.jdbcUrl());
    properties.put("spring.datasource.username", settings.user());
    properties.put("spring.datasource.hikari.maximum-pool-size", THREADS + MORE_CONNECTIONS);
    properties.put("spring.datasource.hikari.data-source-properties.prepareThreshold", "1");
    properties.put("namastack.outbox.polling.batch-size", settings.text("batch"));
    properties.put("namastack.outbox.polling.fixed.interval", POLL_MS + "ms");
    properties.put("namastack.outbox.processing.executor-core-pool-size", THREADS);
    properties.put("namastack.outbox.processing.executor-max-pool-size", THREADS);
    properties.put("namastack.outbox.processing.delete-completed-records", true);
    properties.put("namastack.outbox.multicaster.enabled", false);
    // As in the library's own performance test.
    properties.put("namastack.outbox.instance.heartbeat-interval", "1s");
    properties.put("namastack.outbox.instance.stale-instance-timeout", "10s");
    properties.put("namastack.outbox.instance.rebalance-interval", "1s");
    if (!relaying) {
      properties.put(
          "spring.autoconfigure.exclude", OutboxCoreSchedulingAutoConfiguration.class.getName());
    }
    return properties;
  }

  /** Schedules in a transaction that others begin and commit. */
  void during(Connection transaction, Runnable work) {
    TransactionSynchronizationManager.bindResource(pool, new ConnectionHolder(transaction, true));
    try {
      work.run();
    } finally {
      TransactionSynchronizationManager.unbindResource(pool);
    }
  }

  Outbox outbox() {
    return outbox;
  }

  /** Returns when what was in flight is settled. */
  @Override
  public void close() {
    context.close();
  }
}
