package io.millrace.example.payment;

import io.millrace.client.IdempotencyKey;
import io.millrace.client.InboxContext;
import io.millrace.client.InboxHandler;
import io.millrace.client.InboxMessage;
import io.millrace.client.MessageRefused;
import io.millrace.client.RetryLater;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Tuple;

/**
 * Charges each payment at a payment provider, once: the provider is called by way of {@code once},
 * with a key that is the same in every attempt, and what it answered is recorded before anything
 * else happens.
 */
final class Charging implements InboxHandler {
  private static final String RECORD = SqlFile.read("charge.sql");
  private static final String STEP = "charge";

  /** Well below inbox.handler_timeout_ms, or the whole batch is given up. */
  private static final long CALL_MS_MAX = 5_000;

  private static final int TOO_MANY_REQUESTS = 429;

  private final HttpClient client;
  private final RequestOptions charges;

  /**
   * @param url where charges are made
   */
  Charging(Vertx vertx, String url) {
    this.client = vertx.createHttpClient();
    this.charges =
        new RequestOptions().setMethod(HttpMethod.POST).setAbsoluteURI(url).setTimeout(CALL_MS_MAX);
  }

  @Override
  public Future<Void> handle(InboxMessage message, InboxContext context) {
    Payment payment = Payment.of(message);
    return context
        .once(message, STEP, key -> charge(key, payment))
        .map(JsonObject::new)
        .compose(outcome -> record(context, payment, outcome));
  }

  private Future<Buffer> charge(IdempotencyKey key, Payment payment) {
    return client
        .request(charges)
        .compose(request -> send(request, key, payment))
        .recover(cause -> Future.failedFuture(away(cause)))
        .map(answer -> answer.put("was_repeated", key.isRepeated()).toBuffer());
  }

  private static Future<JsonObject> send(
      HttpClientRequest request, IdempotencyKey key, Payment payment) {
    return request
        .putHeader("Idempotency-Key", key.text())
        .send(payment.toJson().toBuffer())
        .compose(response -> response.body().map(body -> answer(response, body)));
  }

  private static JsonObject answer(HttpClientResponse response, Buffer body) {
    int status = response.statusCode();
    if (status >= 500 || status == TOO_MANY_REQUESTS) {
      throw new RetryLater("the payment provider answers " + status);
    }
    if (status != 200) {
      throw new MessageRefused("the payment provider refuses it with " + status + ": " + body);
    }
    return body.toJsonObject();
  }

  /** Who cannot be reached is no fault of the message. */
  private static Throwable away(Throwable cause) {
    return cause instanceof RetryLater || cause instanceof MessageRefused
        ? cause
        : new RetryLater("the payment provider cannot be reached", cause);
  }

  private static Future<Void> record(InboxContext context, Payment payment, JsonObject outcome) {
    return context
        .connection()
        .preparedQuery(RECORD)
        .execute(
            Tuple.of(
                payment.eventId(),
                payment.account(),
                payment.amountCents(),
                outcome.getString("charge_id"),
                outcome.getBoolean("was_repeated")))
        .mapEmpty();
  }
}
