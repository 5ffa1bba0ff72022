package io.millrace.launcher.status;

import io.vertx.core.json.JsonObject;
import java.io.IOException;

/**
 * What a node says of itself at one time.
 *
 * @param ready {@code /health/ready}
 * @param ring {@code /partitions}
 * @param shards {@code /shards}
 * @param inbox {@code /inbox}
 * @param nodes {@code /nodes}
 */
record Reading(
    JsonObject ready, JsonObject ring, JsonObject shards, JsonObject inbox, JsonObject nodes) {

  static Reading of(AdminClient client) throws IOException, InterruptedException {
    return new Reading(
        client.get("/health/ready"),
        client.get("/partitions"),
        client.get("/shards"),
        client.get("/inbox"),
        client.get("/nodes"));
  }

  boolean isReady() {
    return Boolean.TRUE.equals(ready.getBoolean("ready"));
  }
}
