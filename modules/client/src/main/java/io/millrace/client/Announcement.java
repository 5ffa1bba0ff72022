package io.millrace.client;

import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonObject;
import io.vertx.core.tracing.TracingPolicy;

/**
 * Tells whoever listens, on all nodes, what they would find out by themselves. It may get lost, and
 * whoever announces is never harmed: what it is about has happened already. In nobody's trace: who
 * hears it works for many.
 */
public final class Announcement {
  private static final DeliveryOptions UNTRACED =
      new DeliveryOptions().setTracingPolicy(TracingPolicy.IGNORE);
  private static final DeliveryOptions LOCAL = new DeliveryOptions(UNTRACED).setLocalOnly(true);

  private Announcement() {}

  /** Publishes, to this process whatever the cluster does. Never throws. */
  public static void publish(Vertx vertx, String address, JsonObject body) {
    EventBus bus = vertx.eventBus();
    try {
      if (vertx.isClustered()) {
        // A cluster that does not answer tells nobody of it, this process included, and not even
        // that: so this process hears it once more, which harms nobody.
        bus.publish(address, body, LOCAL);
      }
      bus.publish(address, body, UNTRACED);
    } catch (RuntimeException e) {
      // The bus is closed: nobody listens any more.
    }
  }
}
