package io.millrace.inbox;

import io.millrace.client.InboxMessage;
import io.millrace.core.inbox.Chain;
import io.millrace.core.inbox.Identity;
import io.millrace.core.inbox.IdentityRule;
import io.millrace.core.inbox.ParkReason;
import io.millrace.core.message.Payload;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the claim says of each record of a batch: apply it, park it, or let it be. */
final class Sifting {
  private static final String NEW = "new";
  private static final String DUPLICATE = "duplicate";

  private final Chain chain;
  private final boolean isOrdered;
  private final @Nullable Verdict verdict;
  private final List<Item> fresh = new ArrayList<>();
  private final List<Tuple> parked = new ArrayList<>();
  private final List<ParkReason> reasons = new ArrayList<>();
  private final Set<Payload> blockedKeys = new HashSet<>();
  private int duplicates;

  /**
   * @param verdict of the only record of the batch: it has had its attempts; null: there is none
   */
  Sifting(Chain chain, boolean isOrdered, @Nullable Verdict verdict) {
    this.chain = chain;
    this.isOrdered = isOrdered;
    this.verdict = verdict;
  }

  /**
   * Takes the records in the order of their offsets.
   *
   * @param statuses one for each record that has an identity
   */
  void sift(List<Item> items, List<String> statuses) {
    int next = 0;
    for (Item item : items) {
      if (item.finding().identity() == null) {
        park(item, ParkReason.NO_IDENTITY, item.finding().refusal());
      } else {
        judge(item, statuses.get(next));
        next++;
      }
    }
    fresh.sort(Sorting.BY_KEY_AND_OFFSET);
  }

  private void judge(Item item, String status) {
    Payload key = item.record().key();
    if (status.equals(DUPLICATE)) {
      duplicates++;
    } else if (!status.equals(NEW)) {
      ParkReason reason = ParkReason.valueOf(status.toUpperCase(Locale.ROOT));
      park(item, reason, explanation(reason));
    } else if (verdict != null) {
      park(item, verdict);
    } else if (isOrdered && key != null && blockedKeys.contains(key)) {
      park(item, ParkReason.BEHIND_PARKED, explanation(ParkReason.BEHIND_PARKED));
    } else {
      fresh.add(item);
    }
  }

  private static String explanation(ParkReason reason) {
    return switch (reason) {
      case BEYOND_DEDUP_WINDOW -> "its bucket is below the floor: it cannot be told from a repeat";
      case AHEAD_OF_BUCKETS -> "its time is further in the future than buckets are made";
      case BEHIND_PARKED -> "an earlier message of its key is parked";
      case NO_IDENTITY, REFUSED, FAILED, OVERDUE -> "";
    };
  }

  private void park(Item item, ParkReason reason, String error) {
    park(item, new Verdict(reason, error, 0));
  }

  private void park(Item item, Verdict why) {
    Identity identity = item.finding().identity();
    if (identity == null) {
      identity = IdentityRule.ofCoordinates(chain.topicId(), item.record());
    }
    parked.add(ParkValues.of(chain, item.record(), identity, why));
    reasons.add(why.reason());
    Payload key = item.record().key();
    if (key != null && why.reason().blocksKey()) {
      blockedKeys.add(key);
    }
  }

  /** To be applied, in the order of their effects. */
  List<InboxMessage> messages() {
    List<InboxMessage> messages = new ArrayList<>(fresh.size());
    for (Item item : fresh) {
      Identity identity = item.finding().identity();
      if (identity != null) {
        messages.add(new InboxMessage(identity, item.record()));
      }
    }
    return messages;
  }

  /** Parameters of the statement that parks, one set a message. */
  List<Tuple> parked() {
    return parked;
  }

  List<ParkReason> reasons() {
    return reasons;
  }

  Outcome.Applied outcome() {
    return new Outcome.Applied(fresh.size(), duplicates, parked.size());
  }
}
