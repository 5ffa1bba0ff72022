package io.millrace.client;

import io.vertx.core.json.JsonObject;

/**
 * What a command tells its caller, besides the ids that the reply carries anyway.
 *
 * @param body kept as JSON text, for repetitions as well: neither secrets nor large things
 */
public record CommandResult(JsonObject body) {

  /** Nothing to tell. */
  public static CommandResult empty() {
    return new CommandResult(new JsonObject());
  }
}
