package io.millrace.client;

import io.vertx.core.Vertx;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonObject;
import java.util.function.Consumer;

/**
 * Listens for what has been published or applied, on any node. Only a hint that something can be
 * looked at now: notices may get lost, come late or come twice, and the first ones after the
 * beginning may be missed. May be used from any context; handlers run on the one that listens.
 */
public final class Notices {
  private final Vertx vertx;

  public Notices(Vertx vertx) {
    this.vertx = vertx;
  }

  /** Told after the receipts of batches with messages of this topic; until it is closed. */
  public Subscription published(String topic, Consumer<Notice> handler) {
    return listen(Addresses.published(topic), handler);
  }

  /** Told after the commits in which a consumer has applied messages; until it is closed. */
  public Subscription applied(String consumer, Consumer<Notice> handler) {
    return listen(Addresses.applied(consumer), handler);
  }

  private Subscription listen(String address, Consumer<Notice> handler) {
    MessageConsumer<JsonObject> consumer =
        vertx.eventBus().consumer(address, message -> handler.accept(Notice.from(message.body())));
    return new Subscription(vertx, address, consumer).renewed();
  }

  /** Somebody who listens. */
  public static final class Subscription implements AutoCloseable {
    private final Vertx vertx;
    private final String address;
    private final MessageConsumer<JsonObject> consumer;
    private volatile boolean isClosed;

    private Subscription(Vertx vertx, String address, MessageConsumer<JsonObject> consumer) {
      this.vertx = vertx;
      this.address = address;
      this.consumer = consumer;
    }

    private Subscription renewed() {
      if (!isClosed) {
        Announcement.publish(vertx, Addresses.WATCH, Watched.toJson(address));
        vertx.setTimer(Watched.RENEW_MS, due -> renewed());
      }
      return this;
    }

    /** Nothing more is told. */
    @Override
    public void close() {
      isClosed = true;
      consumer.unregister();
    }
  }
}
