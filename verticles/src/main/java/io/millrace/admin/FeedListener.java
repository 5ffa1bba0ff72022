package io.millrace.admin;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One stream of server-sent events. An event that its reader has no room for is left out: each
 * tells the whole state, so that the next one makes up for it. The stream ends after {@value
 * #LIFE_MINUTES} minutes, so that a reader has to show its token again.
 */
final class FeedListener {
  static final int LIFE_MINUTES = 10;

  /** Shorter than what servers and proxies allow a silent connection. */
  private static final long PULSE_MS = 15_000;

  private static final Logger LOG = LoggerFactory.getLogger(FeedListener.class);

  private final Vertx vertx;
  private final HttpServerResponse response;
  private final Consumer<FeedListener> gone;
  private final long endsAt = System.nanoTime() + TimeUnit.MINUTES.toNanos(LIFE_MINUTES);
  private long pulse = -1;
  private boolean isEnded;

  /**
   * @param gone called once, when the stream has ended, by whomever
   */
  FeedListener(Vertx vertx, HttpServerResponse response, Consumer<FeedListener> gone) {
    this.vertx = vertx;
    this.response = response;
    this.gone = gone;
  }

  void begin() {
    response.closeHandler(closed -> ended());
    response.exceptionHandler(cause -> LOG.debug("a dashboard has gone", cause));
    head(response).setChunked(true);
    pulseLater();
  }

  /** The headers of every stream. */
  static HttpServerResponse head(HttpServerResponse response) {
    return response
        .putHeader(HttpHeaders.CONTENT_TYPE, "text/event-stream")
        // A proxy that waits for more would show nothing.
        .putHeader("X-Accel-Buffering", "no");
  }

  private void pulseLater() {
    long leftMs = TimeUnit.NANOSECONDS.toMillis(endsAt - System.nanoTime());
    pulse = vertx.setTimer(Math.max(1, Math.min(PULSE_MS, leftMs)), fired -> beat());
  }

  private void beat() {
    if (System.nanoTime() - endsAt > -TimeUnit.MILLISECONDS.toNanos(1)) {
      end();
      return;
    }
    write(": \n\n");
    pulseLater();
  }

  /** The event's data is one line: JSON has no line breaks of its own. */
  void tell(String event, JsonObject body) {
    write("event: " + event + "\ndata: " + body.encode() + "\n\n");
  }

  private void write(String text) {
    if (isEnded || response.writeQueueFull()) {
      return;
    }
    response.write(text).onFailure(cause -> LOG.debug("a dashboard does not listen", cause));
  }

  void end() {
    if (!isEnded) {
      ended();
      response.end().onFailure(cause -> LOG.debug("a dashboard had gone already", cause));
    }
  }

  private void ended() {
    if (!isEnded) {
      isEnded = true;
      vertx.cancelTimer(pulse);
      gone.accept(this);
    }
  }
}
