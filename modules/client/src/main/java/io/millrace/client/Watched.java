package io.millrace.client;

import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which notices somebody waits for, so that the others are never made. Who listens says so every
 * {@value #RENEW_MS} ms and is forgotten after {@value #KEEP_MS} ms of silence. Lives on the
 * context of the verticle that makes the notices.
 */
public final class Watched {
  /** How often who listens has to say so. */
  public static final long RENEW_MS = 5_000;

  static final long KEEP_MS = 3 * RENEW_MS;

  /** Addresses at the same time; more are not told of. */
  static final int ADDRESSES_MAX = 1_000;

  private static final String ADDRESS = "address";
  private static final long NANOS_PER_MS = 1_000_000;

  private final Vertx vertx;
  private final Map<String, Long> keptUntilMs = new HashMap<>();
  private final MessageConsumer<JsonObject> consumer;
  private long lastUntilMs;

  /** Begins to listen for who listens. */
  public Watched(Vertx vertx) {
    this.vertx = vertx;
    this.consumer = vertx.eventBus().consumer(Addresses.WATCH, this::watch);
  }

  /** What is said at {@link Addresses#WATCH} by who listens at an address. */
  static JsonObject toJson(String address) {
    return new JsonObject().put(ADDRESS, address);
  }

  private void watch(Message<JsonObject> message) {
    String address = message.body().getString(ADDRESS, "");
    long nowMs = nowMs();
    keptUntilMs.values().removeIf(until -> until < nowMs);
    if (keptUntilMs.size() < ADDRESSES_MAX || keptUntilMs.containsKey(address)) {
      lastUntilMs = nowMs + KEEP_MS;
      keptUntilMs.put(address, lastUntilMs);
    }
  }

  /** Whether anybody waits for anything. */
  public boolean isEmpty() {
    return keptUntilMs.isEmpty() || lastUntilMs < nowMs();
  }

  /** Whether somebody waits for what is told at this address. */
  public boolean contains(String address) {
    Long until = keptUntilMs.get(address);
    return until != null && until >= nowMs();
  }

  /** Tells of these messages, if somebody waits for that. */
  public void tell(String address, List<Notice.Message> messages) {
    if (contains(address)) {
      Notice.of(messages).forEach(notice -> Announcement.publish(vertx, address, notice.toJson()));
    }
  }

  /** Listens no more. */
  public void close() {
    consumer.unregister();
  }

  private static long nowMs() {
    return System.nanoTime() / NANOS_PER_MS;
  }
}
