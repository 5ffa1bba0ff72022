package io.millrace.devstack;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Programs that are installed on this system, or lie in a folder into which packages were unpacked.
 */
final class UnpackedPrograms {
  private UnpackedPrograms() {}

  /** A program of the system. */
  static Optional<Path> onThePath(String program) {
    return Stream.of(System.getenv("PATH").split(Pattern.quote(File.pathSeparator)))
        .map(folder -> Path.of(folder, program))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * The folders of libraries of unpacked packages, as {@code LD_LIBRARY_PATH} takes them; private
   * ones as well, whose place the programs know for installed packages alone.
   */
  static String libraries(Path folder) throws IOException {
    try (Stream<Path> paths = Files.walk(folder, 4)) {
      return paths
          .filter(path -> path.toString().matches(".*/lib/[a-z0-9_]+-linux-gnu[a-z0-9]*(/[^/]+)?"))
          .filter(Files::isDirectory)
          .map(Path::toString)
          .sorted()
          .collect(Collectors.joining(File.pathSeparator));
    }
  }
}
