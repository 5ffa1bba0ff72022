package io.millrace.admin;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A whole HTTP answer; refusals and failures are problem details after RFC 9457.
 *
 * @param headers beside those of every answer
 */
record Answer(int status, String contentType, Buffer body, Map<String, String> headers) {
  private static final Logger LOG = LoggerFactory.getLogger(Answer.class);

  Answer {
    headers = Map.copyOf(headers);
  }

  static Answer text(String contentType, String body) {
    return new Answer(200, contentType, Buffer.buffer(body), Map.of());
  }

  static Answer json(int status, JsonObject body) {
    return new Answer(status, "application/json", body.toBuffer(), Map.of());
  }

  /**
   * A problem of no further type: its title is the status itself.
   *
   * @param title the phrase of the status
   * @param detail what was refused or failed, and the rule or the cause
   */
  static Answer problem(int status, String title, String detail) {
    return problem(status, body(status, title, detail));
  }

  /** A request with fields that are not as they must be, each with its name, rule and value. */
  static Answer badFields(List<JsonObject> errors) {
    JsonObject first = errors.get(0);
    String detail =
        first.getString("field")
            + " "
            + first.getString("rule")
            + ", found "
            + first.getString("found");
    return problem(400, body(400, "Bad Request", detail).put("errors", new JsonArray(errors)));
  }

  private static JsonObject body(int status, String title, String detail) {
    return new JsonObject()
        .put("type", "about:blank")
        .put("title", title)
        .put("status", status)
        .put("detail", detail);
  }

  private static Answer problem(int status, JsonObject body) {
    return new Answer(status, "application/problem+json", body.toBuffer(), Map.of());
  }

  Answer with(String header, String value) {
    return new Answer(status, contentType, body, Map.of(header, value));
  }

  void send(RoutingContext context) {
    headers.forEach(context.response()::putHeader);
    context
        .response()
        .setStatusCode(status)
        .putHeader(HttpHeaders.CONTENT_TYPE, contentType)
        // Given here because HEAD gets it as well, without the bytes.
        .putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(body.length()))
        .end(body)
        .onFailure(cause -> LOG.debug("the client did not wait for the answer", cause));
  }
}
