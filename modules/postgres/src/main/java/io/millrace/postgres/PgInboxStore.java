package io.millrace.postgres;

import io.millrace.core.inbox.Chain;
import io.millrace.core.inbox.DedupWindow;
import io.millrace.core.inbox.StripePosition;
import io.millrace.port.InboxStore;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;

/** How far consumers are. Stateless; a role with millrace_inbox is enough. */
public final class PgInboxStore implements InboxStore {
  private final PgDatabase database;

  public PgInboxStore(PgDatabase database) {
    this.database = database;
  }

  @Override
  public Future<DedupWindow> window() {
    return database.runForOne(
        Statement.READ_INBOX_WINDOW,
        Tuple.tuple(),
        row ->
            new DedupWindow(
                row.getLong("bucket_ms"),
                row.getInteger("floor"),
                row.getInteger("newest"),
                row.getLong("retention_ms")));
  }

  @Override
  public Future<LoadedChain> load(Chain chain) {
    return database
        .run(
            Statement.LOAD_CHAIN,
            Tuple.of(chain.consumer(), chain.topic(), chain.topicId(), chain.topicPartition()))
        .map(PgInboxStore::toChain);
  }

  private static LoadedChain toChain(RowSet<Row> rows) {
    List<StripePosition> stripes = new ArrayList<>();
    boolean isTopicKnown = false;
    boolean isRecreated = false;
    for (Row row : rows) {
      isTopicKnown = row.getBoolean("is_topic_known");
      isRecreated = row.getBoolean("is_recreated");
      if (row.getValue("stripe") != null) {
        stripes.add(
            new StripePosition(
                row.getInteger("stripe"),
                row.getInteger("stripe_count"),
                row.getLong("counter"),
                row.getLong("to_offset"),
                row.getInteger("leader_epoch")));
      }
    }
    return new LoadedChain(stripes, isTopicKnown, isRecreated);
  }

  @Override
  public Future<Boolean> restart(
      Chain chain,
      LoadedChain loaded,
      int stripeCount,
      long offset,
      int leaderEpoch,
      String reason) {
    Tuple values = Tuple.tuple();
    values
        .addString(chain.consumer())
        .addString(chain.topic())
        .addUUID(chain.topicId())
        .addInteger(chain.topicPartition())
        .addInteger(stripeCount)
        .addLong(offset)
        .addInteger(leaderEpoch)
        .addArrayOfLong(loaded.stripes().stream().map(StripePosition::counter).toArray(Long[]::new))
        .addString(reason);
    return database.runForOne(Statement.INBOX_RESTART, values, row -> row.getBoolean("is_set"));
  }
}
