package io.millrace.client;

import io.millrace.core.message.Appended;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;

/**
 * A hint that shards have something to read, on the bus as {@code {"shards": [1, 5]}}. It carries
 * no data and may get lost: polling backs it up.
 *
 * @param shards each once
 */
public record Nudge(Set<Integer> shards) {
  private static final String SHARDS = "shards";

  public Nudge {
    shards = Set.copyOf(shards);
  }

  /** Reads what {@link #toJson} wrote. Whatever is no number is skipped: it is only a hint. */
  public static Nudge from(JsonObject json) {
    Set<Integer> shards = new TreeSet<>();
    if (json.getValue(SHARDS) instanceof JsonArray array) {
      for (Object shard : array) {
        if (shard instanceof Number number) {
          shards.add(number.intValue());
        }
      }
    }
    return new Nudge(shards);
  }

  /** The shards of messages that were appended. */
  public static Nudge of(Collection<Appended> appended) {
    Set<Integer> shards = new TreeSet<>();
    appended.forEach(message -> shards.add(message.shard()));
    return new Nudge(shards);
  }

  /** The shards in rising order. */
  public JsonObject toJson() {
    JsonArray array = new JsonArray();
    new TreeSet<>(shards).forEach(array::add);
    return new JsonObject().put(SHARDS, array);
  }

  /** Tells every relay on the bus. */
  public void publish(Vertx vertx) {
    Announcement.publish(vertx, Addresses.NUDGE, toJson());
  }
}
