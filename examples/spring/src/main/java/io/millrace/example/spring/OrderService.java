package io.millrace.example.spring;

import io.millrace.core.message.Appended;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.Payload;
import io.millrace.jdbc.JdbcOutbox;
import java.sql.Connection;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Orders and the messages that announce them, in one transaction each. */
public class OrderService {
  private final JdbcTemplate jdbc;
  private final JdbcOutbox outbox;

  public OrderService(JdbcTemplate jdbc, JdbcOutbox outbox) {
    this.jdbc = jdbc;
    this.outbox = outbox;
  }

  /** Places an order and announces it. */
  @Transactional
  public void place(String orderId, long amountCents) {
    jdbc.update("insert into orders (id, amount_cents) values (?, ?)", orderId, amountCents);
    append(message(orderId, "order_placed", 1, "{\"amount_cents\":%d}".formatted(amountCents)));
  }

  /**
   * Pays an order: first the update, which locks the order's row, then the append.
   *
   * @return false when it is not open at that revision: then nothing has changed and nothing is
   *     announced
   */
  @Transactional
  public boolean pay(String orderId, long revision) {
    int changed =
        jdbc.update(
            "update orders set status = 'paid', revision = revision + 1"
                + " where id = ? and revision = ? and status = 'open'",
            orderId,
            revision);
    if (changed == 1) {
      append(message(orderId, "order_paid", revision + 1, "{}"));
    }
    return changed == 1;
  }

  /** Places several orders, or none: the first that is refused undoes all of them. */
  @Transactional
  public void placeAll(List<String> orderIds, long amountCents) {
    for (String orderId : orderIds) {
      place(orderId, amountCents);
    }
  }

  /**
   * On the connection of the transaction that Spring has begun. Outside of one the connection would
   * be in auto-commit mode, which the outbox refuses.
   */
  private List<Appended> append(NewMessage... messages) {
    return jdbc.execute((Connection connection) -> outbox.append(connection, messages));
  }

  private static NewMessage message(String orderId, String event, long revision, String json) {
    return NewMessage.of("orders", "order", orderId, event, Payload.of(json))
        .withRevision(revision);
  }
}
