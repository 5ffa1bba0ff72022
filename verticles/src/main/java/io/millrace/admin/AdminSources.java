package io.millrace.admin;

import io.millrace.port.StatusStore;
import java.util.List;
import java.util.function.Supplier;

/**
 * Where the admin API gets its answers from.
 *
 * @param store the database
 * @param metrics gives the node's metrics as Prometheus text, format 0.0.4; called on the event
 *     loop, at each scrape
 * @param statuses the node's verticles that can be asked how they are; one that is not ready makes
 *     the node not ready
 */
public record AdminSources(
    StatusStore store, Supplier<String> metrics, List<StatusSource> statuses) {
  public AdminSources {
    statuses = List.copyOf(statuses);
  }
}
