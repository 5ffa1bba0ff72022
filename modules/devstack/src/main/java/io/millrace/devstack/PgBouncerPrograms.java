package io.millrace.devstack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The program of PgBouncer: the one that is installed on this system, else that of its packages,
 * unpacked into the cache without being installed.
 *
 * @param program where it is
 * @param prefix what to put before its command line
 */
record PgBouncerPrograms(Path program, List<String> prefix) {
  private static final String NAME = "pgbouncer";
  private static final Path INSTALLED = Path.of("/usr/sbin", NAME);

  /**
   * The first call on a system that has none installed takes some seconds.
   *
   * @throws DevStackException with what to install when this system's packages cannot be fetched
   */
  static PgBouncerPrograms find() {
    Optional<Path> installed =
        Stream.concat(Stream.of(INSTALLED), UnpackedPrograms.onThePath(NAME).stream())
            .filter(Files::isExecutable)
            .findFirst();
    if (installed.isPresent()) {
      return new PgBouncerPrograms(installed.get(), List.of());
    }
    try {
      return unpacked(ProgramCache.ofUser().folder(NAME, PgBouncerPrograms::fetch));
    } catch (IOException e) {
      throw new DevStackException(
          "PgBouncer is needed, and here is none: install it, on Debian 12 with"
              + " 'apt-get install pgbouncer' ("
              + e.getMessage()
              + ")",
          e);
    }
  }

  static void fetch(Path folder) throws IOException {
    new FetchScript("pgbouncer.sh", List.of()).run(folder);
  }

  static PgBouncerPrograms unpacked(Path folder) throws IOException {
    return new PgBouncerPrograms(
        folder.resolve("usr/sbin").resolve(NAME),
        List.of("env", "LD_LIBRARY_PATH=" + UnpackedPrograms.libraries(folder)));
  }
}
