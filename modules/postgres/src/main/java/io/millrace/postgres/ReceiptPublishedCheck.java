package io.millrace.postgres;

import io.millrace.port.PublishedCheck;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.Optional;

/** Is a slot published? Where Millrace relays, its receipts answer. */
public final class ReceiptPublishedCheck implements PublishedCheck {
  private final PgDatabase database;

  public ReceiptPublishedCheck(PgDatabase database) {
    this.database = database;
  }

  @Override
  public Future<Optional<String>> unpublished(int slot) {
    return database.runForOne(
        Statement.SLOT_UNPUBLISHED,
        Tuple.of(slot),
        row -> Optional.ofNullable(row.getString("postponed")));
  }
}
