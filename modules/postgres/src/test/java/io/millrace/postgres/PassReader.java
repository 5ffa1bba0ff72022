package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.cursor.Cursor;
import io.millrace.core.cursor.Read;
import io.millrace.core.cursor.ReadBounds;
import io.millrace.core.cursor.ReadResult;
import io.millrace.core.cursor.Scope;
import io.millrace.core.cursor.Sweep;
import io.millrace.core.message.OutboxMessage;
import java.util.ArrayList;
import java.util.List;

/** Reads one shard pass by pass, as a relay does, and keeps what it has read. */
final class PassReader {
  private static final int PASSES_MAX = 2_000;

  private final PgOutboxStore store;
  private final int shard;
  private final ReadBounds bounds;
  private final List<OutboxMessage> messages = new ArrayList<>();
  private Cursor cursor;
  private long sequence;
  private boolean hasMore;

  PassReader(PgOutboxStore store, int shard, Cursor from, ReadBounds bounds) {
    this.store = store;
    this.shard = shard;
    this.cursor = from;
    this.bounds = bounds;
  }

  /** One pass; what it found, by id. */
  List<Long> pass() {
    Cursor before = cursor;
    Read read = before.nextRead(bounds);
    ReadResult result = PgFixture.await(store.read(shard, Scope.ALL, read, bounds));
    cursor = before.after(read, result, bounds);
    sequence = result.sequence();
    hasMore = cursor.sweep() != null || before.hasMore(result, bounds);
    List<Long> ids = result.messages().stream().map(OutboxMessage::id).toList();
    if (cursor.sweep() instanceof Sweep.Late) {
      assertThat(ids).as("late rows").allSatisfy(id -> assertThat(id <= before.head()).isTrue());
    }
    messages.addAll(result.messages());
    return ids;
  }

  /** Passes until there is no more; what they found, by id. */
  List<Long> passes() {
    List<Long> ids = new ArrayList<>();
    int passes = 0;
    do {
      ids.addAll(pass());
      assertThat(++passes).as("passes").isLessThan(PASSES_MAX);
    } while (hasMore);
    return ids;
  }

  Cursor cursor() {
    return cursor;
  }

  /** The sequence's value that the last pass read. */
  long sequence() {
    return sequence;
  }

  List<OutboxMessage> messages() {
    return messages;
  }

  List<Long> ids() {
    return messages.stream().map(OutboxMessage::id).toList();
  }
}
