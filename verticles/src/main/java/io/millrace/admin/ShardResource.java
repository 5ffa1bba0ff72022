package io.millrace.admin;

import io.millrace.port.OperatorStore;
import io.millrace.port.OperatorStore.Act;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.function.BiFunction;

/** Taking shards out of work, putting them back, and turning the ring. */
final class ShardResource {
  /** As many as a smallint numbers; the database names the ones that there are. */
  private static final int SHARD_MAX = 32_767;

  private final OperatorStore operator;

  ShardResource(OperatorStore operator) {
    this.operator = operator;
  }

  void addTo(Routes routes) {
    routes
        .change("/shards/:shard/pause", "pause", context -> set(context, true, operator::pause))
        .change("/shards/:shard/resume", "resume", context -> set(context, false, operator::resume))
        .change("/ring/turn", "the turn of the ring", this::turn);
  }

  private static Future<Answer> set(
      RoutingContext context, boolean isPaused, BiFunction<Act, Integer, Future<Boolean>> act) {
    int shard = (int) Acts.number(context, "shard", SHARD_MAX);
    return Acts.run(
        context,
        (isPaused ? "pause of shard " : "resume of shard ") + shard,
        Fields.ofBody(context),
        who ->
            act.apply(who, shard)
                .map(
                    changed ->
                        new JsonObject()
                            .put("shard", shard)
                            .put("paused", isPaused)
                            .put("changed", changed)));
  }

  private Future<Answer> turn(RoutingContext context) {
    return Acts.run(
        context,
        "turn of the ring",
        Fields.ofBody(context),
        who -> operator.turnRing(who).map(changed -> new JsonObject().put("changed", changed)));
  }
}
