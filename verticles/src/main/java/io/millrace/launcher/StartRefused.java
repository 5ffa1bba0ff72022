package io.millrace.launcher;

import java.util.List;

/** The database is not one that a node may start on. The text names every reason. */
public final class StartRefused extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StartRefused(List<String> reasons) {
    super("Millrace does not start: " + String.join("; ", reasons));
  }
}
