package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.cursor.ReadBounds;
import io.millrace.core.lease.Claim;
import io.millrace.core.lease.NodeRole;
import io.millrace.port.LoadedCursor;
import io.millrace.port.Receipt;
import io.millrace.port.ReceiptOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A relay without a broker: owns every shard, reads what there is and writes receipts for it. */
final class ShardReaders {
  private static final ReadBounds BOUNDS = new ReadBounds(200, 1_000_000, 5_000);

  private final PgReceiptStore receipts;
  private final List<Claim> claims = new ArrayList<>();
  private final List<LoadedCursor> loaded = new ArrayList<>();
  private final List<PassReader> readers = new ArrayList<>();
  private final long[] counters = new long[PgFixture.SHARDS];

  ShardReaders(PgDatabase database, Nodes nodes) {
    this(database, nodes, BOUNDS);
  }

  ShardReaders(PgDatabase database, Nodes nodes, ReadBounds bounds) {
    this.receipts = new PgReceiptStore(database);
    PgOutboxStore store = new PgOutboxStore(database);
    UUID node = nodes.register(NodeRole.RELAY);
    for (int shard = 0; shard < PgFixture.SHARDS; shard++) {
      claims.add(nodes.tryClaim(node, shard).orElseThrow());
      loaded.add(PgFixture.await(receipts.load(shard, Receipt.MAIN_LANE)));
      readers.add(new PassReader(store, shard, loaded.get(shard).cursor(), bounds));
      counters[shard] = loaded.get(shard).counter();
    }
  }

  /** Reads every shard until there is no more, and writes a receipt for each. */
  void publishAll() {
    for (int shard = 0; shard < PgFixture.SHARDS; shard++) {
      PassReader reader = readers.get(shard);
      reader.passes();
      record(shard);
    }
  }

  /** One pass of every shard, each with its receipt: an end even while writers go on. */
  void publishSome() {
    for (int shard = 0; shard < PgFixture.SHARDS; shard++) {
      readers.get(shard).pass();
      record(shard);
    }
  }

  /** Writes a receipt for what has been read of the shard. */
  void record(int shard) {
    PassReader reader = readers.get(shard);
    var receipt =
        Nodes.receipt(
            shard,
            claims.get(shard),
            loaded.get(shard).incarnation(),
            ++counters[shard],
            reader.cursor(),
            reader.sequence());
    assertThat(PgFixture.await(receipts.record(receipt))).isEqualTo(ReceiptOutcome.RECORDED);
  }

  PassReader reader(int shard) {
    return readers.get(shard);
  }

  /** The ids of all that has been read, shard by shard. */
  List<Long> ids() {
    return readers.stream().flatMap(reader -> reader.ids().stream()).toList();
  }
}
