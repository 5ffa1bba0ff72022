package io.millrace.example.spring;

import io.millrace.core.message.MessageRules;
import io.millrace.jdbc.JdbcInbox;
import io.millrace.jdbc.JdbcOutbox;
import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** The service, on a data source that whoever starts it gives. */
@Configuration
@EnableTransactionManagement
@Import({OrderService.class, AccountService.class})
public class ServiceConfig {
  /** As {@code schema.payload_bytes_max}, which the schema was laid with. */
  private static final int PAYLOAD_BYTES_MAX = 1_000_000;

  @Bean
  public PlatformTransactionManager transactions(DataSource dataSource) {
    return new DataSourceTransactionManager(dataSource);
  }

  @Bean
  public JdbcTemplate jdbc(DataSource dataSource) {
    return new JdbcTemplate(dataSource);
  }

  @Bean
  public JdbcOutbox outbox() {
    return new JdbcOutbox(new MessageRules(PAYLOAD_BYTES_MAX));
  }

  @Bean
  public JdbcInbox inbox() {
    return new JdbcInbox("accounts");
  }
}
