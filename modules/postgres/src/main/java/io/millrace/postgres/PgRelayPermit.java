package io.millrace.postgres;

import io.millrace.port.RelayPermit;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.Optional;

/** Asks the database who publishes its outbox, and whether somebody else may. */
public final class PgRelayPermit implements RelayPermit {
  private final PgDatabase database;

  public PgRelayPermit(PgDatabase database) {
    this.database = database;
  }

  @Override
  public Future<Optional<String>> refusal() {
    return database.runForOne(
        Statement.RELAY_REFUSAL,
        Tuple.tuple(),
        row -> Optional.ofNullable(row.getString("refusal")));
  }
}
