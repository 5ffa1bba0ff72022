package io.millrace.admin;

import io.millrace.port.LookStore;
import io.millrace.port.OperatorStore;
import io.millrace.port.StatusStore;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Where the admin API gets its answers from.
 *
 * @param store the database's status
 * @param stores single rows, and what operators do
 * @param metrics gives the node's metrics as Prometheus text, format 0.0.4; called on the event
 *     loop, at each scrape
 * @param statuses the node's verticles that can be asked how they are; one that is not ready makes
 *     the node not ready
 * @param config this node's configuration by dotted key, secrets masked
 */
public record AdminSources(
    StatusStore store,
    Stores stores,
    Supplier<String> metrics,
    List<StatusSource> statuses,
    Map<String, String> config) {
  public AdminSources {
    statuses = List.copyOf(statuses);
  }

  /**
   * What is asked for by people, and may take its time: on connections of its own.
   *
   * @param look single messages, nodes and replays
   * @param operator changes
   */
  public record Stores(LookStore look, OperatorStore operator) {}
}
