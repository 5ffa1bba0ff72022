package io.millrace.port;

import io.millrace.core.inbox.Chain;
import io.millrace.core.inbox.DedupWindow;
import io.millrace.core.inbox.StripePosition;
import io.vertx.core.Future;
import java.util.List;

/**
 * How far consumers are. Progress itself is appended in the consumer's own transaction, together
 * with the effects; here is what comes before and after.
 */
public interface InboxStore {
  Future<DedupWindow> window();

  /** The newest progress of every stripe of a chain. */
  Future<LoadedChain> load(Chain chain);

  /**
   * Appends a position for every stripe of a new layout: a first start, a changed number of
   * stripes, or a reset.
   *
   * @param loaded what the decision rests on
   * @param leaderEpoch the leader epoch of the record before {@code offset}, or -1
   * @param reason for people; kept with the position
   * @return false when somebody has moved the chain since it was loaded: load it again
   */
  Future<Boolean> restart(
      Chain chain,
      LoadedChain loaded,
      int stripeCount,
      long offset,
      int leaderEpoch,
      String reason);

  /**
   * What is stored of a chain.
   *
   * @param stripes the newest of each stripe; empty: this consumer has not read this topic yet
   * @param isTopicKnown whether there is progress on another topic partition of the same topic
   * @param isRecreated whether there is progress on a topic of the same name with another id
   */
  record LoadedChain(List<StripePosition> stripes, boolean isTopicKnown, boolean isRecreated) {
    public LoadedChain {
      stripes = List.copyOf(stripes);
    }
  }
}
