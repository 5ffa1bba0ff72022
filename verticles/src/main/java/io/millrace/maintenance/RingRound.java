package io.millrace.maintenance;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.core.config.MaintenanceConfig;
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
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
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
  private @Nullable String alarm;
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

  /** What an operator must know, or null. */
  @Nullable String alarm() {
    return alarm;
  }

  Future<Void> run(Claim claim) {
    return ring.view()
        .map(view -> RingPlan.of(view, policy))
        .compose(
            plan -> {
              raise(plan.isFull() ? FULL : null);
              return runSteps(claim, plan.steps(), 0)
                  .compose(done -> drainLanes(claim, plan.isFull()));
            })
        .compose(done -> ring.rotate(claim))
        .onFailure(cause -> LOG.warn("maintenance was interrupted: {}", cause.getMessage()))
        .otherwiseEmpty();
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

  private void raise(@Nullable String found) {
    if (found != null && alarm == null) {
      LOG.error(found);
    }
    alarm = found;
  }

  private Future<Void> runSteps(Claim claim, List<RingStep> steps, int next) {
    if (next == steps.size()) {
      return Future.succeededFuture();
    }
    return runStep(claim, steps.get(next))
        .recover(
            cause -> {
              LOG.debug("{} was postponed: {}", steps.get(next), cause.getMessage());
              return Future.succeededFuture();
            })
        .compose(done -> runSteps(claim, steps, next + 1));
  }

  private Future<Void> runStep(Claim claim, RingStep step) {
    if (step instanceof RingStep.Detach && System.nanoTime() - detachAfterNs < 0) {
      return Future.succeededFuture();
    }
    if (step instanceof RingStep.CheckPublished check) {
      return published
          .unpublished(check.slot())
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
    return postponable(step)
        .map(slot -> ring.postpone(claim, slot, postponed.get()))
        .orElseGet(Future::succeededFuture);
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
