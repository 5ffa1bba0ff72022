package io.millrace.devstack;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Programs of PostgreSQL that can be run.
 *
 * @param bin the folder with {@code initdb} and {@code postgres}, which find lib and share from it
 * @param environment what they need beyond this process's environment, each "NAME=value"
 */
record PostgresPrograms(Path bin, List<String> environment) {
  PostgresPrograms {
    environment = List.copyOf(environment);
  }

  static PostgresPrograms of(PostgresSpec spec) {
    return spec.postgis()
        ? new PostgisBinaries(ProgramCache.ofUser()).programs()
        : new PostgresPrograms(
            PostgresBinaries.ofUser().unpacked(spec.majorVersion()).resolve("bin"), List.of());
  }

  /** What to put before a command line; keeps the process id. */
  List<String> prefix() {
    if (environment.isEmpty()) {
      return List.of();
    }
    return Stream.concat(Stream.of("env"), environment.stream()).toList();
  }
}
