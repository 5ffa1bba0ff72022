package io.millrace.inbox;

import io.millrace.core.config.InboxConfig.RetentionCheck;
import io.millrace.core.inbox.Retention;
import io.millrace.core.inbox.TopicSettings;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares how long ids are kept with how late the consumer's topics may bring a message again, at
 * the start and from time to time. Read for metrics from any thread.
 */
final class Retentions {
  private static final Logger LOG = LoggerFactory.getLogger(Retentions.class);

  private final ConsumerSetting setting;
  private final long dwellMaxMs;
  private final long replayMs;

  private volatile List<Retention.Need> needs = List.of();
  private volatile long keptMs;
  private List<String> missing = List.of();
  private @Nullable String failure;
  private boolean isChecked;

  Retentions(ConsumerSetting setting, long dwellMaxMs, long replayMs) {
    this.setting = setting;
    this.dwellMaxMs = dwellMaxMs;
    this.replayMs = replayMs;
  }

  /** Whether the broker and the database have answered yet. */
  boolean isChecked() {
    return isChecked;
  }

  /** Checks once; what came of it is kept here. Never fails. */
  Future<Void> check() {
    return setting
        .ports()
        .store()
        .window()
        .compose(window -> settings().map(topics -> judge(window.retentionMs(), topics)))
        .<Void>mapEmpty()
        .otherwise(
            cause -> {
              failure = "the retention of ids cannot be checked: " + cause.getMessage();
              LOG.warn("{}: {}", setting.consumer().name(), failure);
              return null;
            });
  }

  private Future<List<Optional<TopicSettings>>> settings() {
    List<Future<Optional<TopicSettings>>> asked = new ArrayList<>();
    setting.consumer().topics().forEach(t -> asked.add(setting.ports().topics().settings(t)));
    return Future.all(asked).map(all -> all.<Optional<TopicSettings>>list());
  }

  private List<Retention.Need> judge(long kept, List<Optional<TopicSettings>> topics) {
    List<TopicSettings> found = topics.stream().flatMap(Optional::stream).toList();
    missing =
        setting.consumer().topics().stream()
            .filter(name -> found.stream().noneMatch(topic -> topic.topic().equals(name)))
            .toList();
    keptMs = kept;
    needs = new Retention(kept, dwellMaxMs, replayMs).needs(found);
    failure = null;
    isChecked = true;
    needs.stream()
        .filter(need -> !need.isMet())
        .forEach(need -> LOG.warn("{}: {}", setting.consumer().name(), need.text()));
    return needs;
  }

  /** Why the consumer must not run; empty: it may. */
  List<String> refusals() {
    return setting.config().retentionCheck() == RetentionCheck.WARN
        ? List.of()
        : needs.stream().filter(need -> !need.isMet()).map(Retention.Need::text).toList();
  }

  /** Why it could not be checked, or null. */
  @Nullable String failure() {
    return failure;
  }

  List<Retention.Need> needs() {
    return needs;
  }

  /** Topics that do not exist, or not yet. */
  List<String> missing() {
    return missing;
  }

  long keptMs() {
    return keptMs;
  }

  /** The longest that any topic asks for, in milliseconds; without end for one that keeps all. */
  double neededMs() {
    return needs.stream()
        .mapToDouble(
            need ->
                need.neededMs().isPresent()
                    ? need.neededMs().getAsLong()
                    : Double.POSITIVE_INFINITY)
        .max()
        .orElse(0);
  }
}
