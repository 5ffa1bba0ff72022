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
  private static final Future<Boolean> NOTHING = Future.succeededFuture(false);

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
        .compose(this::exists)
        .compose(topic -> load(topic).compose(loaded -> decide(topic, loaded, reset)));
  }

  private Future<LoadedChain> load(TopicSettings topic) {
    return setting.ports().store().load(chain(topic, assignment.topicPartition()));
  }

  private Chain chain(TopicSettings topic, int topicPartition) {
    return new Chain(setting.consumer().name(), topic.topic(), topic.topicId(), topicPartition);
  }

  private Future<TopicSettings> exists(Optional<TopicSettings> topic) {
    return topic
        .map(Future::succeededFuture)
        .orElseGet(
            () ->
                Future.failedFuture(
                    new Failure(
                        FailureKind.TOPIC,
                        "topic " + assignment.topic() + " does not exist",
                        null)));
  }

  private Future<Found> decide(TopicSettings topic, LoadedChain loaded, @Nullable String reset) {
    Chain chain = chain(topic, assignment.topicPartition());
    List<StripePosition> layout = layout(loaded);
    if (layout.isEmpty()) {
      return first(topic, chain, loaded);
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

  private Future<Found> first(TopicSettings topic, Chain chain, LoadedChain loaded) {
    // A topic partition that has come later is read whole, as is a topic that was made anew.
    boolean isNewcomer = !loaded.isTopicKnown() && !loaded.isRecreated();
    if (setting.config().startAt() == StartAt.END && isNewcomer) {
      return allAtTheEnd(topic, 0).compose(done -> find(null));
    }
    String why = loaded.isRecreated() ? "topic made anew" : "first start at the beginning";
    if (loaded.isRecreated()) {
      alarm(chain, "the topic was made anew, and is read from its beginning");
    }
    return offsets(chain.topicPartition())
        .compose(range -> restart(chain, loaded, new Target(range.beginning(), NO_EPOCH, why)));
  }

  /** All at once: one that is missing afterwards was not there when the consumer began. */
  private Future<Void> allAtTheEnd(TopicSettings topic, int topicPartition) {
    if (topicPartition == topic.partitionCount()) {
      return Future.succeededFuture();
    }
    Chain chain = chain(topic, topicPartition);
    return setting
        .ports()
        .store()
        .load(chain)
        .compose(loaded -> loaded.stripes().isEmpty() ? atTheEnd(chain, loaded) : NOTHING)
        .compose(done -> allAtTheEnd(topic, topicPartition + 1));
  }

  private Future<Boolean> atTheEnd(Chain chain, LoadedChain loaded) {
    return offsets(chain.topicPartition())
        .map(range -> new Target(range.end(), NO_EPOCH, "first start at the end"))
        .compose(end -> append(chain, loaded, end));
  }

  private Future<Found> anew(
      Chain chain, LoadedChain loaded, List<StripePosition> layout, String reset) {
    long stood = lowest(layout).to();
    return offsets(chain.topicPartition())
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

  private Future<OffsetRange> offsets(int topicPartition) {
    return setting
        .ports()
        .source()
        .offsets(new Assignment(assignment.topic(), topicPartition, assignment.generation()));
  }

  /** Where to go, and why. */
  private record Target(long offset, int leaderEpoch, String reason) {}

  private Future<Found> restart(Chain chain, LoadedChain loaded, Target target) {
    // Whoever was faster: what is stored now counts.
    return append(chain, loaded, target).compose(done -> find(null));
  }

  private Future<Boolean> append(Chain chain, LoadedChain loaded, Target target) {
    return setting
        .ports()
        .store()
        .restart(
            chain,
            loaded,
            setting.consumer().stripeCount(),
            target.offset(),
            target.leaderEpoch(),
            target.reason());
  }
}
