package io.millrace.admin;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A whole HTTP answer; refusals and failures are problem details after RFC 9457. */
record Answer(int status, String contentType, String body) {
  private static final Logger LOG = LoggerFactory.getLogger(Answer.class);

  static Answer json(int status, JsonObject body) {
    return new Answer(status, "application/json", body.encode());
  }

  /**
   * A problem of no further type: its title is the status itself.
   *
   * @param title the phrase of the status
   * @param detail what was refused or failed, and the rule or the cause
   */
  static Answer problem(int status, String title, String detail) {
    JsonObject body =
        new JsonObject()
            .put("type", "about:blank")
            .put("title", title)
            .put("status", status)
            .put("detail", detail);
    return new Answer(status, "application/problem+json", body.encode());
  }

  void send(RoutingContext context) {
    Buffer bytes = Buffer.buffer(body);
    context
        .response()
        .setStatusCode(status)
        .putHeader(HttpHeaders.CONTENT_TYPE, contentType)
        // Given here because HEAD gets it as well, without the bytes.
        .putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(bytes.length()))
        .end(bytes)
        .onFailure(cause -> LOG.debug("the client did not wait for the answer", cause));
  }
}
