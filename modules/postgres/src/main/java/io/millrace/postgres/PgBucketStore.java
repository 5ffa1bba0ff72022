package io.millrace.postgres;

import io.millrace.core.inbox.Bucket;
import io.millrace.core.inbox.BucketParent;
import io.millrace.core.inbox.BucketState;
import io.millrace.core.inbox.BucketStep;
import io.millrace.core.inbox.BucketView;
import io.millrace.core.lease.Claim;
import io.millrace.port.BucketStore;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The maintenance of buckets: every step is one call, fenced by the claim's token. */
public final class PgBucketStore implements BucketStore {
  private final PgDatabase database;
  private final int lockTimeoutMs;
  private final ProgressRotation progress;

  /**
   * @param lockTimeoutMs the longest wait for a lock that others queue behind, in milliseconds; a
   *     detach that was postponed waits longer, up to 1 s
   * @param progressAgeMaxMs a list of progress is closed when it is this old, in milliseconds
   */
  public PgBucketStore(PgDatabase database, int lockTimeoutMs, long progressAgeMaxMs) {
    this.database = database;
    this.lockTimeoutMs = lockTimeoutMs;
    this.progress = new ProgressRotation(database, lockTimeoutMs, progressAgeMaxMs);
  }

  @Override
  public Future<BucketView> view() {
    return database.run(Statement.READ_BUCKETS, Tuple.tuple()).map(PgBucketStore::toView);
  }

  private static BucketView toView(RowSet<Row> rows) {
    List<Bucket> buckets = new ArrayList<>(rows.size());
    for (Row row : rows) {
      if (row.getString("parent") != null) {
        buckets.add(toBucket(row));
      }
    }
    Row window = rows.iterator().next();
    return new BucketView(
        window.getLong("bucket_ms"),
        window.getLong("now_ms"),
        window.getInteger("floor"),
        window.getLong("retention_ms"),
        window.getInteger("buckets_ahead"),
        buckets);
  }

  private static Bucket toBucket(Row row) {
    return new Bucket(
        BucketParent.valueOf(row.getString("parent").toUpperCase(Locale.ROOT)),
        row.getInteger("bucket"),
        BucketState.valueOf(row.getString("state").toUpperCase(Locale.ROOT)),
        row.getBoolean("is_attached"),
        row.getLong("retiring_ms"));
  }

  @Override
  public Future<Optional<String>> step(Claim claim, BucketStep step) {
    if (step instanceof BucketStep.Settings s) {
      return postponed(
          Statement.BUCKET_SETTINGS,
          Tuple.of(claim.token(), lockTimeoutMs, s.retentionMs(), s.bucketsAhead()));
    }
    if (step instanceof BucketStep.Attach s) {
      return onBucket(Statement.BUCKET_ATTACH, claim, s.parent(), s.bucket());
    }
    if (step instanceof BucketStep.Announce s) {
      return onBucket(Statement.BUCKET_ANNOUNCE, claim, s.parent(), s.bucket());
    }
    if (step instanceof BucketStep.NoteWaits s) {
      return onBucket(Statement.BUCKET_NOTE_WAITS, claim, s.parent(), s.bucket());
    }
    if (step instanceof BucketStep.Detach s) {
      return onBucket(Statement.BUCKET_DETACH, claim, s.parent(), s.bucket());
    }
    if (step instanceof BucketStep.Drop s) {
      return onBucket(Statement.BUCKET_DROP, claim, s.parent(), s.bucket());
    }
    return postponed(Statement.BUCKET_RAISE_FLOOR, Tuple.of(claim.token(), lockTimeoutMs));
  }

  private Future<Optional<String>> onBucket(
      Statement statement, Claim claim, BucketParent parent, int bucket) {
    return postponed(statement, Tuple.of(claim.token(), lockTimeoutMs, parent.text(), bucket));
  }

  private Future<Optional<String>> postponed(Statement statement, Tuple values) {
    return database.runForOne(
        statement, values, row -> Optional.ofNullable(row.getString("postponed")));
  }

  @Override
  public Future<Void> rotateProgress(Claim claim) {
    return progress.rotate(claim);
  }
}
