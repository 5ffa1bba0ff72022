package io.millrace.inbox;

import io.millrace.core.config.InboxConfig.StartAt;
import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.inbox.Chain;
import io.millrace.core.inbox.StripePosition;
import io.millrace.core.inbox.TopicSettings;
import io.millrace.port.InboxStore.LoadedChain;
import io.millrace.port.Source.Assignment;
import io.millrace.port.Source.OffsetRange;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a consumer goes on in a topic partition: where the database says, unless there is nothing
 * yet, or what is asked for is gone. A position that is set anew is appended with its reason.
 *
 * <p>Where it is not certain what was missed, it goes back to the beginning: what was applied
 * before is recognised.
 */
final class StartPosition {
  private static final Logger LOG = LoggerFactory.getLogger(StartPosition.class);
  private static final int NO_EPOCH = -1;

  private final ConsumerSetting setting;
  private final Assignment assignment;

  StartPosition(ConsumerSetting setting, Assignment assignment) {
    this.setting = setting;
    this.assignment = assignment;
  }

  /**
   * @param stripes one a stripe of the layout in use
   */
  record Found(Chain chain, List<StripePosition> stripes) {}

  /**
   * Finds it.
   *
   * @param reset why the stored position is of no use; null: it is
   */
  Future<Found> find(@Nullable String reset) {
    return setting
        .ports()
        .topics()
        .settings(assignment.topic())
        .compose(this::chain)
        .compose(
            chain ->
                setting
                    .ports()
                    .store()
                    .load(chain)
                    .compose(loaded -> decide(chain, loaded, reset)));
  }

  private Future<Chain> chain(Optional<TopicSettings> topic) {
    return topic
        .map(
            found ->
                Future.succeededFuture(
                    new Chain(
                        setting.consumer().name(),
                        assignment.topic(),
                        found.topicId(),
                        assignment.topicPartition())))
        .orElseGet(
            () ->
                Future.failedFuture(
                    new Failure(
                        FailureKind.TOPIC,
                        "topic " + assignment.topic() + " does not exist",
                        null)));
  }

  private Future<Found> decide(Chain chain, LoadedChain loaded, @Nullable String reset) {
    List<StripePosition> layout = layout(loaded);
    if (layout.isEmpty()) {
      return first(chain, loaded);
    }
    if (reset != null) {
      return anew(chain, loaded, layout, reset);
    }
    int wanted = setting.consumer().stripeCount();
    if (layout.size() != wanted) {
      StripePosition lowest = lowest(layout);
      String why = "stripes changed from " + layout.size() + " to " + wanted;
      return restart(chain, loaded, new Target(lowest.to(), lowest.leaderEpoch(), why));
    }
    return Future.succeededFuture(new Found(chain, layout));
  }

  /** Of the stripes that were ever recorded, those of the newest layout: the first is in each. */
  private static List<StripePosition> layout(LoadedChain loaded) {
    if (loaded.stripes().isEmpty()) {
      return List.of();
    }
    int count = loaded.stripes().get(0).stripeCount();
    return loaded.stripes().stream().filter(p -> p.stripe() < count).toList();
  }

  private static StripePosition lowest(List<StripePosition> layout) {
    StripePosition lowest = layout.get(0);
    for (StripePosition position : layout) {
      lowest = position.to() < lowest.to() ? position : lowest;
    }
    return lowest;
  }

  private Future<Found> first(Chain chain, LoadedChain loaded) {
    return offsets()
        .compose(
            range -> {
              if (loaded.isRecreated()) {
                alarm(chain, "the topic was made anew, and is read from its beginning");
                return restart(
                    chain, loaded, new Target(range.beginning(), NO_EPOCH, "topic made anew"));
              }
              boolean atEnd = setting.config().startAt() == StartAt.END;
              return restart(
                  chain,
                  loaded,
                  new Target(
                      atEnd ? range.end() : range.beginning(),
                      NO_EPOCH,
                      "first start at the " + (atEnd ? "end" : "beginning")));
            });
  }

  private Future<Found> anew(
      Chain chain, LoadedChain loaded, List<StripePosition> layout, String reset) {
    long stood = lowest(layout).to();
    return offsets()
        .compose(
            range -> {
              String why =
                  stood < range.beginning()
                      ? "records from %d to %d expired before they were read"
                          .formatted(stood, range.beginning() - 1)
                      : reset + "; offsets are %d to %d".formatted(range.beginning(), range.end());
              alarm(chain, why + "; is read from " + range.beginning());
              return restart(chain, loaded, new Target(range.beginning(), NO_EPOCH, why));
            });
  }

  private void alarm(Chain chain, String what) {
    setting.metrics().reset();
    LOG.error("{}: {}", chain, what);
  }

  private Future<OffsetRange> offsets() {
    return setting.ports().source().offsets(assignment);
  }

  /** Where to go, and why. */
  private record Target(long offset, int leaderEpoch, String reason) {}

  private Future<Found> restart(Chain chain, LoadedChain loaded, Target target) {
    return setting
        .ports()
        .store()
        .restart(
            chain,
            loaded,
            setting.consumer().stripeCount(),
            target.offset(),
            target.leaderEpoch(),
            target.reason())
        // Whoever was faster: what is stored now counts.
        .compose(done -> find(null));
  }
}
