package io.millrace.maintenance;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.core.config.InboxConfig;
import io.millrace.core.inbox.BucketPlan;
import io.millrace.core.inbox.BucketPolicy;
import io.millrace.core.inbox.BucketStep;
import io.millrace.core.lease.Claim;
import io.millrace.port.BucketStore;
import io.vertx.core.Future;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One round of the maintenance of the inbox: look, plan, do the steps one after the other. A step
 * that fails postpones itself only.
 */
final class BucketRound {
  private static final Logger LOG = LoggerFactory.getLogger(BucketRound.class);

  private final BucketStore buckets;
  private final BucketPolicy policy;
  private final MeterRegistry registry;
  private @Nullable String alarm;

  BucketRound(BucketStore buckets, InboxConfig config, MeterRegistry registry) {
    this.buckets = buckets;
    this.policy = new BucketPolicy(config.retentionMs(), config.bucketsAhead());
    this.registry = registry;
  }

  /** What an operator must know, or null. */
  @Nullable String alarm() {
    return alarm;
  }

  Future<Void> run(Claim claim) {
    return plan()
        .compose(plan -> runSteps(claim, plan.steps(), 0).compose(done -> judge(plan)))
        .compose(done -> buckets.rotateProgress(claim))
        .onFailure(
            cause -> LOG.warn("maintenance of the inbox was interrupted: {}", cause.getMessage()))
        .otherwiseEmpty();
  }

  private Future<BucketPlan> plan() {
    return buckets.view().map(view -> BucketPlan.of(view, policy));
  }

  /** What was missing before the steps is missing only if it still is. */
  private Future<Void> judge(BucketPlan before) {
    Future<BucketPlan> after = before.missing().isEmpty() ? Future.succeededFuture(before) : plan();
    return after.onSuccess(plan -> raise(alarmOf(plan))).mapEmpty();
  }

  private static @Nullable String alarmOf(BucketPlan plan) {
    if (!plan.missing().isEmpty()) {
      return "buckets of the inbox are missing, and consumers stand still before their messages: "
          + plan.missing();
    }
    if (!plan.overdue().isEmpty()) {
      return "a bucket of the inbox cannot be retired for more than a day: "
          + plan.overdue().get(0).parent().text()
          + " "
          + plan.overdue().get(0).bucket();
    }
    return null;
  }

  private void raise(@Nullable String found) {
    if (found != null && alarm == null) {
      LOG.error(found);
    }
    alarm = found;
  }

  private Future<Void> runSteps(Claim claim, List<BucketStep> steps, int next) {
    if (next == steps.size()) {
      return Future.succeededFuture();
    }
    return buckets
        .step(claim, steps.get(next))
        .map(postponed -> report(steps.get(next), postponed))
        .recover(
            cause -> {
              LOG.debug("{} was postponed: {}", steps.get(next), cause.getMessage());
              return Future.succeededFuture();
            })
        .compose(done -> runSteps(claim, steps, next + 1));
  }

  private @Nullable Void report(BucketStep step, Optional<String> postponed) {
    if (postponed.isPresent()) {
      LOG.debug("{} was postponed: {}", step, postponed.get());
      return null;
    }
    Counter.builder("millrace.bucket.steps")
        .tag("step", step.getClass().getSimpleName().toLowerCase(Locale.ROOT))
        .register(registry)
        .increment();
    return null;
  }
}
