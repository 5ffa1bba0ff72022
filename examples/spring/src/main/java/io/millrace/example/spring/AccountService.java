package io.millrace.example.spring;

import io.millrace.jdbc.JdbcInbox;
import java.sql.Connection;
import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** The other side: what a listener of the topic calls for each record. */
public class AccountService {
  private final JdbcTemplate jdbc;
  private final JdbcInbox inbox;

  public AccountService(JdbcTemplate jdbc, JdbcInbox inbox) {
    this.jdbc = jdbc;
    this.inbox = inbox;
  }

  /**
   * Books an amount once, however often its message comes. The listener commits its offset at Kafka
   * when this has returned.
   *
   * @param messageId the record's header {@code ce_id}
   * @return false for a repeat
   */
  @Transactional
  public boolean book(UUID messageId, long amountCents) {
    boolean isNew = jdbc.execute((Connection connection) -> inbox.claim(connection, messageId));
    if (isNew) {
      jdbc.update("update account set balance_cents = balance_cents + ?", amountCents);
    }
    return isNew;
  }
}
