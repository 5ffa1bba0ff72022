package io.millrace.admin;

import io.millrace.port.ActRefused;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for an answer, at most {@value #ANSWER_MS_MAX} ms. A failure becomes a 503 that names what
 * failed and is logged here, once; a refusal is the caller's business alone.
 */
final class WorkAnswers {
  /** Longer than a pool or a lock is waited for; a slower page helps nobody. */
  private static final long ANSWER_MS_MAX = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(WorkAnswers.class);

  private WorkAnswers() {}

  static void answer(RoutingContext context, String what, Routes.Work work) {
    Future.succeededFuture()
        .compose(now -> work.apply(context))
        .timeout(ANSWER_MS_MAX, TimeUnit.MILLISECONDS)
        .otherwise(cause -> failed(what, cause))
        .onSuccess(answer -> answer.send(context));
  }

  private static Answer failed(String what, Throwable cause) {
    if (cause instanceof Refusal refusal) {
      return refusal.answer();
    }
    if (cause instanceof ActRefused refused) {
      return refused(what, refused);
    }
    LOG.warn("cannot show {}", what, cause);
    return Answer.problem(503, "Service Unavailable", FailureText.of(what, cause, ANSWER_MS_MAX));
  }

  private static Answer refused(String what, ActRefused refused) {
    return switch (refused.why()) {
      case INVALID -> Answer.problem(400, "Bad Request", what + ": " + refused.getMessage());
      case TOO_MANY -> Answer.problem(409, "Conflict", what + ": " + refused.getMessage());
      case NOT_GRANTED ->
          Answer.problem(
              403,
              "Forbidden",
              what
                  + ": "
                  + refused.getMessage()
                  + "; the owner of the schema has to say: grant millrace_operator to ROLE");
    };
  }
}
