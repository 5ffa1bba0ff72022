package io.millrace.port;

import java.util.List;

/**
 * Whether what a database holds comes from the server that it is on now.
 *
 * @param traces what cannot come from this server, each a line for people; empty: nothing
 * @param known the system identifier of the server that the installation knows
 * @param actual that of this server
 */
public record Origin(List<String> traces, long known, long actual) {
  public Origin {
    traces = List.copyOf(traces);
  }
}
