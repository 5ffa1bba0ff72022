package io.millrace.example.payment;

import io.millrace.client.InboxBatchHandler;
import io.millrace.client.InboxContext;
import io.millrace.client.InboxMessage;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.UUID;

/**
 * Books payments, a whole batch with two statements. Neither of them would notice if an event came
 * twice: that it does not is Millrace's part.
 */
public final class AccountBooking implements InboxBatchHandler {
  private static final String JOURNAL = SqlFile.read("journal.sql");
  private static final String BALANCES = SqlFile.read("balances.sql");

  @Override
  public Future<Void> handle(List<InboxMessage> messages, InboxContext context) {
    return book(messages.stream().map(Payment::of).toList(), context.connection());
  }

  /** Adds to the accounts and writes the journal. */
  static Future<Void> book(List<Payment> payments, SqlClient client) {
    UUID[] events = payments.stream().map(Payment::eventId).toArray(UUID[]::new);
    Integer[] accounts = payments.stream().map(Payment::account).toArray(Integer[]::new);
    Long[] cents = payments.stream().map(Payment::amountCents).toArray(Long[]::new);
    return client
        .preparedQuery(JOURNAL)
        .execute(
            Tuple.tuple().addArrayOfUUID(events).addArrayOfInteger(accounts).addArrayOfLong(cents))
        .compose(
            written ->
                client
                    .preparedQuery(BALANCES)
                    .execute(Tuple.tuple().addArrayOfInteger(accounts).addArrayOfLong(cents)))
        .mapEmpty();
  }
}
