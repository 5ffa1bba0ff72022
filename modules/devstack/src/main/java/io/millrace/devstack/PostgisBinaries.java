package io.millrace.devstack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The programs of a PostgreSQL with PostGIS, which no library carries: the ones that are installed
 * on this system, else those of its own packages, unpacked into the cache without being installed.
 */
final class PostgisBinaries {
  private static final int OLDEST = 15;
  private static final Path INSTALLED = Path.of("/usr/lib/postgresql");
  private static final String LIBRARIES = "LD_LIBRARY_PATH";

  private static final Logger LOG = LoggerFactory.getLogger(PostgisBinaries.class);

  private final ProgramCache cache;
  private final Path installed;

  PostgisBinaries(ProgramCache cache) {
    this(cache, INSTALLED);
  }

  /**
   * @param installed where the system installs the programs of PostgreSQL, a folder a version
   */
  PostgisBinaries(ProgramCache cache, Path installed) {
    this.cache = cache;
    this.installed = installed;
  }

  /**
   * The first call on a system that has none installed takes a minute or more.
   *
   * @throws DevStackException with what to install when this system's packages cannot be fetched
   */
  PostgresPrograms programs() {
    try {
      if (Files.isDirectory(installed)) {
        List<Path> theirs = versions(installed);
        if (!theirs.isEmpty()) {
          return new PostgresPrograms(theirs.get(theirs.size() - 1).resolve("bin"), List.of());
        }
      }
      return unpacked(cache.folder(folderName(), PostgisBinaries::fetch));
    } catch (IOException e) {
      throw new DevStackException(
          "PostGIS is needed, and here is none: install it, on Debian 12 with"
              + " 'apt-get install postgresql-15-postgis-3' ("
              + e.getMessage()
              + ")",
          e);
    }
  }

  /** Folders of versions that have PostGIS, the newest one last. */
  private static List<Path> versions(Path programs) throws IOException {
    try (Stream<Path> folders = Files.list(programs)) {
      return folders
          .filter(folder -> folder.getFileName().toString().matches("[0-9]+"))
          .filter(folder -> version(folder) >= OLDEST)
          .filter(folder -> Files.isExecutable(folder.resolve("bin/postgres")))
          .filter(folder -> Files.isRegularFile(folder.resolve("lib/postgis-3.so")))
          .sorted((one, other) -> Integer.compare(version(one), version(other)))
          .toList();
    }
  }

  private static int version(Path folder) {
    return Integer.parseInt(folder.getFileName().toString());
  }

  /** Of the system's release: after an upgrade the libraries no longer belong to it. */
  private static String folderName() throws IOException {
    StringBuilder release = new StringBuilder();
    Path file = Path.of("/etc/os-release");
    if (Files.isReadable(file)) {
      for (String line : Files.readAllLines(file)) {
        if (line.startsWith("ID=") || line.startsWith("VERSION_ID=")) {
          release.append(line.substring(line.indexOf('=') + 1).replaceAll("[^A-Za-z0-9.]", ""));
        }
      }
    }
    return "postgis-3-%s-%s".formatted(release, System.getProperty("os.arch"));
  }

  private static PostgresPrograms unpacked(Path folder) throws IOException {
    List<Path> versions = versions(folder.resolve("usr/lib/postgresql"));
    if (versions.isEmpty()) {
      throw new IOException(folder + " holds no PostgreSQL with PostGIS; delete it");
    }
    return new PostgresPrograms(
        versions.get(versions.size() - 1).resolve("bin"),
        List.of(
            LIBRARIES + "=" + UnpackedPrograms.libraries(folder),
            "PROJ_DATA=" + folder.resolve("usr/share/proj"),
            "PROJ_LIB=" + folder.resolve("usr/share/proj")));
  }

  private static void fetch(Path folder) throws IOException {
    LOG.info("fetching PostGIS from this system's packages, which takes a minute or more");
    new FetchScript("postgis.sh", List.of()).run(folder);
  }
}
