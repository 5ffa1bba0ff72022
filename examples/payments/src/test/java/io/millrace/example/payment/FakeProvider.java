package io.millrace.example.payment;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A payment provider on 127.0.0.1. {@code POST /charges} with the header Idempotency-Key charges:
 * the same key once, and answers alike; {@code GET /charges} tells how many charges there are.
 */
final class FakeProvider {
  private static final String HOST = "127.0.0.1";
  private static final long WAIT_S = 20;

  /** What it does with the next calls. */
  enum Mode {
    ANSWER,
    /** Charges, and holds its answer back. */
    HOLD,
    /** Charges nothing and answers 503. */
    DOWN
  }

  private final Vertx vertx = Vertx.vertx();
  private final HttpServer server;
  private final Map<String, JsonObject> charges = new ConcurrentHashMap<>();
  private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();
  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicInteger turnedAway = new AtomicInteger();
  private volatile Mode mode;

  /**
   * @param port 0: any free one
   */
  private FakeProvider(int port, Mode mode) throws Exception {
    this.mode = mode;
    this.server = await(vertx.createHttpServer().requestHandler(this::serve).listen(port, HOST));
  }

  static FakeProvider start(Mode mode) throws Exception {
    return new FakeProvider(0, mode);
  }

  static FakeProvider startAt(int port, Mode mode) throws Exception {
    return new FakeProvider(port, mode);
  }

  int port() {
    return server.actualPort();
  }

  static String url(int port) {
    return "http://" + HOST + ":" + port + "/charges";
  }

  void become(Mode next) {
    mode = next;
  }

  /** Different keys charged. */
  int charges() {
    return charges.size();
  }

  /** Requests to charge, repeated ones too. */
  int calls() {
    return calls.get();
  }

  /** Requests answered with 503. */
  int turnedAway() {
    return turnedAway.get();
  }

  int held() {
    return held.size();
  }

  /** Gives the answers that were held back to whoever still listens. */
  void letGo() {
    for (Runnable answer = held.poll(); answer != null; answer = held.poll()) {
      answer.run();
    }
  }

  private void serve(HttpServerRequest request) {
    if (request.method() == HttpMethod.GET) {
      answer(request, new JsonObject().put("charges", charges.size()));
      return;
    }
    request.body().onSuccess(body -> charge(request, body));
  }

  private void charge(HttpServerRequest request, Buffer body) {
    if (mode == Mode.DOWN) {
      turnedAway.incrementAndGet();
      request.response().setStatusCode(503).end();
      return;
    }
    calls.incrementAndGet();
    JsonObject charge =
        charges.computeIfAbsent(
            request.getHeader("Idempotency-Key"),
            key ->
                body.toJsonObject().put("charge_id", "ch_" + Integer.toHexString(key.hashCode())));
    if (mode == Mode.HOLD) {
      held.add(() -> answer(request, charge));
    } else {
      answer(request, charge);
    }
  }

  private static void answer(HttpServerRequest request, JsonObject body) {
    request.response().putHeader("content-type", "application/json").end(body.toBuffer());
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(WAIT_S, TimeUnit.SECONDS);
  }

  void stop() throws Exception {
    await(vertx.close());
  }
}
