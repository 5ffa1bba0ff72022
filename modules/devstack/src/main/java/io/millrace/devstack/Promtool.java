package io.millrace.devstack;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Prometheus' checker of rules: the one that is installed on this system, else that of its
 * packages, unpacked into the cache without being installed.
 */
public final class Promtool {
  private static final String NAME = "promtool";

  private Promtool() {}

  /**
   * The first call on a system that has none installed takes some seconds.
   *
   * @throws DevStackException with what to install when this system's packages cannot be fetched
   */
  public static Path program() {
    Optional<Path> installed = UnpackedPrograms.onThePath(NAME);
    if (installed.isPresent()) {
      return installed.get();
    }
    FetchScript script = new FetchScript("package.sh", List.of("prometheus"));
    try {
      Path folder = ProgramCache.ofUser().folder(NAME, script::run);
      return folder.resolve("usr/bin").resolve(NAME);
    } catch (IOException e) {
      throw new DevStackException(
          "promtool is needed, and here is none: install it, on Debian 12 with"
              + " 'apt-get install prometheus' ("
              + e.getMessage()
              + ")",
          e);
    }
  }
}
