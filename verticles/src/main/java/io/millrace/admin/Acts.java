package io.millrace.admin;

import io.millrace.port.OperatorStore.Act;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all changes have in common: who does it, why, and a line in the log. The database keeps its
 * own record in the transaction of the act.
 */
final class Acts {
  static final int REASON_CHARACTERS_MAX = 2_000;

  private static final Logger LOG = LoggerFactory.getLogger(Acts.class);

  private Acts() {}

  /**
   * Does what was asked for.
   *
   * @param fields those of the body, of which all but the reason have been read
   * @param work the act, which says what came of it
   */
  static Future<Answer> run(
      RoutingContext context, String what, Fields fields, Function<Act, Future<JsonObject>> work) {
    String reason = fields.required("reason", REASON_CHARACTERS_MAX);
    fields.end();
    Caller caller = Gate.caller(context);
    if (caller == null) {
      throw new IllegalStateException("nobody passes the gate without a name");
    }
    return work.apply(new Act(caller.name(), reason))
        .onSuccess(
            result -> LOG.info("{} by {} because {}: {}", what, caller.name(), reason, result))
        .onFailure(
            cause ->
                LOG.info(
                    "{} by {} because {} failed: {}",
                    what,
                    caller.name(),
                    reason,
                    cause.getMessage()))
        .map(result -> Answer.json(200, result));
  }

  /** A number in a path. */
  static long number(RoutingContext context, String name, long max) {
    String found = String.valueOf(context.pathParam(name));
    if (found.matches("[0-9]{1,18}") && Long.parseLong(found) <= max) {
      return Long.parseLong(found);
    }
    throw Refusal.notFound(name + " must be a whole number from 0 to " + max);
  }
}
