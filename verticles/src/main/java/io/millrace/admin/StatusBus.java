package io.millrace.admin;

import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks the node's own verticles how they are, within a limit. Never fails: no answer is an answer,
 * too.
 */
final class StatusBus {
  /** A verticle that needs longer than this for a look at its own fields does not work. */
  static final long REPLY_MS_MAX = 1_000;

  private final EventBus bus;
  private final List<StatusSource> sources;

  StatusBus(EventBus bus, List<StatusSource> sources) {
    this.bus = bus;
    this.sources = sources;
  }

  /** One answer a source, in the order of the sources. */
  Future<List<StatusAnswer>> ask() {
    List<Future<StatusAnswer>> answers = new ArrayList<>(sources.size());
    sources.forEach(source -> answers.add(ask(source)));
    return Future.join(answers).map(all -> all.<StatusAnswer>list());
  }

  private Future<StatusAnswer> ask(StatusSource source) {
    // Local: the sources live in this process, whatever the cluster is doing.
    DeliveryOptions options = new DeliveryOptions().setSendTimeout(REPLY_MS_MAX).setLocalOnly(true);
    return bus.<JsonObject>request(source.address(), new JsonObject(), options)
        .map(Message::body)
        .map(reply -> StatusAnswer.parse(source.name(), reply))
        .otherwise(cause -> StatusAnswer.notReady(silence(source.name(), cause)));
  }

  private static String silence(String name, Throwable cause) {
    if (cause instanceof ReplyException reply) {
      return reply.failureType() == ReplyFailure.RECIPIENT_FAILURE
          ? name + ": " + reply.getMessage()
          : name + " does not answer";
    }
    return name + " answers with something other than a status: " + cause.getMessage();
  }
}
