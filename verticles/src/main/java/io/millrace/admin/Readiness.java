package io.millrace.admin;

import io.millrace.port.Installation;
import io.millrace.port.StatusStore;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Whether this node can do its work now: every status source says so, and the database answers and
 * is one that can be published from. Never fails; takes at most about a second.
 */
final class Readiness {
  /** As long as the status sources may take, so that a probe waits once. */
  private static final long DATABASE_MS_MAX = StatusBus.REPLY_MS_MAX;

  private final StatusBus bus;
  private final SharedQuery<Installation> installation;

  Readiness(StatusBus bus, StatusStore store) {
    this.bus = bus;
    this.installation = new SharedQuery<>(store::installation);
  }

  /**
   * 200 or 503.
   *
   * @param isKnown whether who asks may read the reasons: they name hosts and topics
   */
  Future<Answer> check(boolean isKnown) {
    Future<List<StatusAnswer>> statuses = bus.ask();
    Future<List<String>> database = database();
    return Future.join(statuses, database)
        .map(
            both -> {
              List<String> reasons = new ArrayList<>();
              statuses.result().forEach(status -> reasons.addAll(status.reasons()));
              reasons.addAll(database.result());
              List<String> warnings = new ArrayList<>();
              statuses.result().forEach(status -> warnings.addAll(status.warnings()));
              return answer(reasons, warnings, isKnown);
            });
  }

  private static Answer answer(List<String> reasons, List<String> warnings, boolean isKnown) {
    JsonObject body = new JsonObject().put("ready", reasons.isEmpty());
    if (isKnown) {
      body.put("reasons", new JsonArray(reasons));
      body.put("warnings", new JsonArray(warnings));
    }
    return Answer.json(reasons.isEmpty() ? 200 : 503, body);
  }

  private Future<List<String>> database() {
    return installation
        .ask()
        .timeout(DATABASE_MS_MAX, TimeUnit.MILLISECONDS)
        .map(Readiness::judge)
        .otherwise(cause -> List.of(FailureText.of("the database", cause, DATABASE_MS_MAX)));
  }

  private static List<String> judge(Installation found) {
    List<String> reasons = new ArrayList<>();
    if (found.isInRecovery()) {
      reasons.add("the database is a standby: its snapshots list no open transactions");
    }
    if (found.isAhead()) {
      reasons.add("the database was restored: stored snapshots are ahead of its counter");
    }
    return reasons;
  }
}
