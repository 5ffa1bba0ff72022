package io.millrace.maintenance;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.core.config.MaintenanceConfig;
import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.lease.Claim;
import io.millrace.core.retry.Backoff;
import io.millrace.core.ring.RingPlan;
import io.millrace.core.ring.RingPolicy;
import io.millrace.core.ring.RingStep;
import io.millrace.port.PublishedCheck;
import io.millrace.port.RingStore;
import io.vertx.core.Future;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One round of maintenance: look, plan, do the steps one after the other. A step that fails
 * postpones itself only.
 */
final class RingRound {
  private static final Logger LOG = LoggerFactory.getLogger(RingRound.class);
  private static final String FULL =
      "the ring is full: no slot is free and maintenance.slots_max are attached; the hot slot goes on growing";

  private static final Backoff DETACH_DELAY = new Backoff(1_000, 300_000);

  private final RingStore ring;
  private final PublishedCheck published;
  private final RingPolicy policy;
  private final long laneKeepMs;
  private final MeterRegistry registry;
  private @Nullable String full;
  private @Nullable String broken;
  private @Nullable String unreplicated;

  /** What this round has found broken so far. */
  private @Nullable String found;

  private int detachFailures;
  private long detachAfterNs = System.nanoTime();

  /**
   * @param laneKeepMs how long a lane may hold slots, in milliseconds
   */
  RingRound(
      RingStore ring,
      PublishedCheck published,
      MaintenanceConfig config,
      long laneKeepMs,
      MeterRegistry registry) {
    this.ring = ring;
    this.laneKeepMs = laneKeepMs;
    this.published = published;
    this.policy = policy(config);
    this.registry = registry;
  }

  private static RingPolicy policy(MaintenanceConfig config) {
    return new RingPolicy(
        new RingPolicy.Slots(
            config.slotsMin(),
            config.slotsMax(),
            config.freeSlotsMin(),
            config.slotSurplusAfterMs()),
        new RingPolicy.Turn(config.slotBytesMax(), config.slotAgeMaxMs()),
        new RingPolicy.Retention(config.retentionMs(), config.retentionBytesMax()));
  }

  /** What an operator must know; empty: nothing. */
  List<String> alarms() {
    return Stream.of(full, broken, unreplicated).filter(Objects::nonNull).toList();
  }

  Future<Void> run(Claim claim) {
    return ring.checkPublishing(claim)
        .onSuccess(problem -> unreplicated = told(unreplicated, unreplicated(problem)))
        .compose(checked -> ring.view())
        .map(view -> RingPlan.of(view, policy))
        .compose(plan -> follow(claim, plan))
        .compose(done -> ring.rotate(claim))
        .onFailure(cause -> LOG.warn("maintenance was interrupted: {}", cause.getMessage()))
        .otherwiseEmpty();
  }

  private static @Nullable String unreplicated(Optional<String> problem) {
    return problem
        .map(text -> "Debezium publishes, and " + text + ": no slot is emptied from now on")
        .orElse(null);
  }

  private Future<Void> follow(Claim claim, RingPlan plan) {
    full = told(full, plan.isFull() ? FULL : null);
    found = null;
    return runSteps(claim, plan.steps(), 0)
        .onComplete(done -> broken = told(broken, found))
        .compose(done -> drainLanes(claim, plan.isFull()));
  }

  private Future<Void> drainLanes(Claim claim, boolean isShort) {
    return ring.drainLanes(claim, laneKeepMs, isShort)
        .onSuccess(
            marked -> {
              if (marked > 0) {
                LOG.warn(
                    "{} lanes are to be drained into parked: {}",
                    marked,
                    isShort ? "the ring is full" : "they are older than relay.lane_keep_ms");
              }
            })
        .mapEmpty();
  }

  private static @Nullable String told(@Nullable String before, @Nullable String now) {
    if (now != null && !now.equals(before)) {
      LOG.error(now);
    }
    return now;
  }

  private Future<Void> runSteps(Claim claim, List<RingStep> steps, int next) {
    if (next == steps.size()) {
      return Future.succeededFuture();
    }
    return runStep(claim, steps.get(next))
        .recover(cause -> onFailed(claim, steps.get(next), cause))
        .compose(done -> runSteps(claim, steps, next + 1));
  }

  /** A step that can be repeated is; what is broken is told and left as it is. */
  private Future<Void> onFailed(Claim claim, RingStep step, Throwable cause) {
    if (Failure.kindOf(cause) != FailureKind.BROKEN) {
      LOG.debug("{} was postponed: {}", step, cause.getMessage());
      return Future.succeededFuture();
    }
    found = "maintenance cannot do %s: %s".formatted(step, cause.getMessage());
    return postpone(claim, step, String.valueOf(cause.getMessage())).otherwiseEmpty();
  }

  private Future<Void> postpone(Claim claim, RingStep step, String reason) {
    return postponable(step)
        .map(slot -> ring.postpone(claim, slot, reason))
        .orElseGet(Future::succeededFuture);
  }

  private Future<Void> runStep(Claim claim, RingStep step) {
    if (step instanceof RingStep.Detach && System.nanoTime() - detachAfterNs < 0) {
      return Future.succeededFuture();
    }
    if (step instanceof RingStep.CheckPublished check) {
      return published
          .unpublished(claim, check.slot())
          .compose(
              reason ->
                  reason.isPresent()
                      ? ring.postpone(claim, check.slot(), reason.get())
                      : ring.step(claim, new RingStep.MarkPublished(check.slot())).mapEmpty());
    }
    return ring.step(claim, step).compose(postponed -> report(claim, step, postponed));
  }

  private Future<Void> report(Claim claim, RingStep step, Optional<String> postponed) {
    if (step instanceof RingStep.Detach) {
      awaitNextDetach(postponed.isPresent());
    }
    if (postponed.isEmpty()) {
      Counter.builder("millrace.ring.steps")
          .tag("step", step.getClass().getSimpleName().toLowerCase(Locale.ROOT))
          .register(registry)
          .increment();
      return Future.succeededFuture();
    }
    return postpone(claim, step, postponed.get());
  }

  /** The slot whose cleaning it is. */
  private static Optional<Integer> postponable(RingStep step) {
    if (step instanceof RingStep.Truncate truncate) {
      return Optional.of(truncate.slot());
    }
    if (step instanceof RingStep.Detach detach) {
      return Optional.of(detach.slot());
    }
    return step instanceof RingStep.Drop drop ? Optional.of(drop.slot()) : Optional.empty();
  }

  /** Writers queue behind each attempt, and shrinking has time. */
  private void awaitNextDetach(boolean hasFailed) {
    detachFailures = hasFailed ? detachFailures + 1 : 0;
    long delayMs =
        hasFailed
            ? DETACH_DELAY.delayMs(detachFailures, ThreadLocalRandom.current().nextDouble())
            : 0;
    detachAfterNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delayMs);
  }
}
