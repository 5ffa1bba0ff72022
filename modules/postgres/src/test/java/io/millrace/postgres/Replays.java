package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.cursor.Incarnation;
import io.millrace.core.cursor.ReadBounds;
import io.millrace.core.lease.Claim;
import io.millrace.core.message.OutboxMessage;
import io.millrace.port.ReceiptOutcome;
import io.millrace.port.ReplayPage;
import io.millrace.port.ReplayProgress;
import io.millrace.port.ReplayTask;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Replays as the owner of a shard sees them, without a broker. */
final class Replays {
  static final ReadBounds BOUNDS = new ReadBounds(100, 1_000_000, 10_000);

  private final PgFixture pg;
  private final PgReplayStore store;

  Replays(PgFixture pg, PgDatabase database) {
    this.pg = pg;
    this.store = new PgReplayStore(database);
  }

  /** As an operator asks for it. */
  long start(String filters) {
    return Long.parseLong(
        pg.value("select millrace.start_replay('ann', 'consumer lost them', " + filters + ")"));
  }

  ReplayTask task(int shard) {
    List<ReplayTask> tasks = PgFixture.await(store.open(Set.of(shard)));
    assertThat(tasks).hasSize(1);
    return tasks.get(0);
  }

  List<ReplayTask> tasks(Set<Integer> shards) {
    return PgFixture.await(store.open(shards));
  }

  ReplayPage page(int shard, long replay, long position, ReadBounds bounds) {
    return PgFixture.await(store.read(shard, replay, position, bounds));
  }

  /** The ids of everything that the shard has to replay. */
  List<Long> ids(int shard, long replay) {
    return ids(shard, replay, BOUNDS);
  }

  List<Long> ids(int shard, long replay, ReadBounds bounds) {
    List<Long> ids = new ArrayList<>();
    long position = task(shard).position();
    ReplayPage page;
    do {
      page = page(shard, replay, position, bounds);
      page.messages().stream().map(OutboxMessage::id).forEach(ids::add);
      position = page.task().doneUpTo();
    } while (!page.task().isLast());
    return ids;
  }

  ReceiptOutcome record(Claim claim, ReplayTask task, long from, long position) {
    return record(claim, task, from, position, task.incarnation(), null);
  }

  ReceiptOutcome record(
      Claim claim,
      ReplayTask task,
      long from,
      long position,
      Incarnation incarnation,
      @Nullable String failure) {
    return PgFixture.await(
        store.record(
            new ReplayProgress(
                task.shard(),
                claim,
                incarnation,
                task.replay(),
                from,
                position,
                3,
                1,
                new ReplayProgress.Notes("too large\0", null, failure))));
  }

  /** To the end of the shard's part. */
  ReceiptOutcome finish(Claim claim, ReplayTask task) {
    long end =
        Long.parseLong(
            pg.value(
                "select end_id from millrace.replay_shard where replay_id = %d and shard = %d"
                    .formatted(task.replay(), task.shard())));
    return record(claim, task, task.position(), end);
  }

  String state(long replay) {
    return pg.value(
        "select state || coalesce(': ' || end_reason, '') from millrace.replay where replay_id = "
            + replay);
  }
}
