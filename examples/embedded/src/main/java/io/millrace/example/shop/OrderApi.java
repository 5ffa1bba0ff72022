package io.millrace.example.shop;

import io.millrace.client.CommandClient;
import io.millrace.client.CommandFailure;
import io.millrace.client.CommandRefused;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.UUID;

/**
 * The application's own verticle, on loopback: {@code PUT /orders/ID} places an order under an id
 * that the caller made (a UUIDv7) and may repeat until it is answered, {@code GET /orders/ID} tells
 * how often it was shipped.
 */
final class OrderApi extends VerticleBase {
  private static final String HOST = "127.0.0.1";
  private static final String PATH = "/orders/";
  private static final int BODY_BYTES_MAX = 10_000;
  private static final String STATE = Sql.read("order_state.sql");

  private final CommandClient commands;
  private final Pool pool;
  private final int port;

  OrderApi(CommandClient commands, Pool pool, int port) {
    this.commands = commands;
    this.pool = pool;
    this.port = port;
  }

  @Override
  public Future<?> start() {
    return vertx.createHttpServer().requestHandler(this::serve).listen(port, HOST);
  }

  private void serve(HttpServerRequest request) {
    HttpServerResponse response = request.response();
    answer(request)
        .onSuccess(body -> response.setStatusCode(200).end(body.toBuffer()))
        .onFailure(failure -> response.setStatusCode(status(failure)).end(told(failure)));
  }

  private Future<JsonObject> answer(HttpServerRequest request) {
    UUID id;
    try {
      id = UUID.fromString(request.path().substring(PATH.length()));
    } catch (RuntimeException e) {
      return Future.failedFuture(new IllegalArgumentException("no path like /orders/ID"));
    }
    if (request.method().equals(HttpMethod.GET)) {
      return state(id);
    }
    return request.method().equals(HttpMethod.PUT)
        ? request.body().compose(body -> place(id, body))
        : Future.failedFuture(new IllegalArgumentException("method must be GET or PUT"));
  }

  private Future<JsonObject> place(UUID id, Buffer body) {
    Order order;
    try {
      if (body.length() > BODY_BYTES_MAX) {
        throw new IllegalArgumentException("a body has at most " + BODY_BYTES_MAX + " bytes");
      }
      order = Order.fromJson(body.toJsonObject());
    } catch (IllegalArgumentException | DecodeException e) {
      return Future.failedFuture(new IllegalArgumentException(e.getMessage(), e));
    }
    return commands
        .send(Order.PLACE, id, order)
        .map(done -> new JsonObject().put("order", id.toString()).put("repeated", done.repeated()));
  }

  private Future<JsonObject> state(UUID id) {
    return pool.preparedQuery(STATE).execute(Tuple.of(id)).map(OrderApi::state);
  }

  private static JsonObject state(RowSet<Row> rows) {
    Row row = rows.iterator().next();
    return new JsonObject()
        .put("placed", row.getBoolean("placed"))
        .put("shipments", row.getLong("shipments"));
  }

  private static int status(Throwable failure) {
    if (failure instanceof CommandRefused) {
      return 409;
    }
    if (failure instanceof IllegalArgumentException) {
      return 400;
    }
    if (failure instanceof CommandFailure known) {
      return known.mayBeRepeated() ? 503 : known.kind() == CommandFailure.Kind.FAILED ? 500 : 400;
    }
    return 500;
  }

  private static Buffer told(Throwable failure) {
    return new JsonObject().put("problem", String.valueOf(failure.getMessage())).toBuffer();
  }
}
