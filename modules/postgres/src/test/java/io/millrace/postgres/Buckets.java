package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.inbox.Bucket;
import io.millrace.core.inbox.BucketParent;
import io.millrace.core.inbox.BucketPlan;
import io.millrace.core.inbox.BucketPolicy;
import io.millrace.core.inbox.BucketState;
import io.millrace.core.inbox.BucketStep;
import io.millrace.core.inbox.BucketView;
import io.millrace.core.lease.Claim;
import java.util.List;
import java.util.Optional;

/** The owner of maintenance in a test, and the buckets as the fixture has laid them. */
final class Buckets {
  static final long DAY = PgFixture.BUCKET_MS;
  static final BucketPolicy LAID =
      new BucketPolicy(PgFixture.RETENTION_BUCKETS * DAY, PgFixture.BUCKETS_AHEAD);
  static final BucketPolicy A_DAY_LESS = new BucketPolicy(DAY, PgFixture.BUCKETS_AHEAD);

  final PgBucketStore store;
  final Claim claim;
  final long now;
  final int today;

  /** The bucket at the floor. */
  final int oldest;

  private final PgFixture pg;

  /** Claims maintenance. */
  Buckets(PgFixture pg) {
    this.pg = pg;
    PgDatabase database = pg.pool();
    store = new PgBucketStore(database, 100, 0);
    claim = new Nodes(database).claimMaintenance(new PgRingStore(database, 100, 0));
    now = Long.parseLong(pg.value("select (extract(epoch from now()) * 1000)::bigint"));
    today = (int) (now / DAY);
    oldest = today - PgFixture.RETENTION_BUCKETS;
  }

  Optional<String> step(BucketStep step) {
    return PgFixture.await(store.step(claim, step));
  }

  BucketView view() {
    return PgFixture.await(store.view());
  }

  void round(BucketPolicy policy) {
    BucketPlan.of(view(), policy).steps().forEach(this::step);
  }

  List<BucketStep> steps(BucketPolicy policy) {
    return BucketPlan.of(view(), policy).steps();
  }

  Optional<Bucket> bucket(BucketParent parent, int number) {
    return view().buckets().stream()
        .filter(b -> b.parent() == parent && b.bucket() == number)
        .findFirst();
  }

  BucketState stateOf(BucketParent parent, int number) {
    return bucket(parent, number).orElseThrow().state();
  }

  String table(BucketParent parent, int number) {
    return pg.value("select to_regclass('millrace.%s_%d')".formatted(parent.text(), number));
  }

  /** The floor as it is after a day has passed. */
  void raiseTheFloor() {
    step(new BucketStep.Settings(DAY, PgFixture.BUCKETS_AHEAD));
    assertThat(step(new BucketStep.RaiseFloor())).isEmpty();
    assertThat(view().floor()).isEqualTo(oldest + 1);
  }
}
