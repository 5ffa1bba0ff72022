package io.millrace.devstack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * psql, a Python with psycopg 3 and a Node.js with pg, which no library carries: those of this
 * system's packages, unpacked into the cache without being installed. Not the installed ones, which
 * seldom have the drivers.
 *
 * @param psql PostgreSQL's terminal
 * @param python version 3
 * @param node a version that runs pg
 * @param home the folder to start them in: Node.js reads parts of itself from below it
 * @param environment what they need beside this process' own
 */
public record LanguagePrograms(
    Path psql, Path python, Path node, Path home, Map<String, String> environment) {
  private static final String NAME = "languages";
  private static final String PYTHON = "python3\\.[0-9]+";
  private static final Logger LOG = LoggerFactory.getLogger(LanguagePrograms.class);

  public LanguagePrograms {
    environment = Map.copyOf(environment);
  }

  /**
   * The first call on a system takes half a minute or more.
   *
   * @throws DevStackException with what to do when this system's packages cannot be fetched
   */
  public static LanguagePrograms find() {
    try {
      return unpacked(ProgramCache.ofUser().folder(NAME, LanguagePrograms::fetch));
    } catch (IOException e) {
      throw new DevStackException(
          "psql, Python with psycopg 3 and Node.js with pg are needed, and cannot be fetched: run"
              + " this on Debian 12 or newer, where they are packages postgresql-client,"
              + " python3-psycopg and node-pg ("
              + e.getMessage()
              + ")",
          e);
    }
  }

  private static void fetch(Path folder) throws IOException {
    LOG.info("fetching psql, Python and Node.js from this system's packages");
    new FetchScript("languages.sh", List.of()).run(folder);
  }

  private static LanguagePrograms unpacked(Path folder) throws IOException {
    Path usr = folder.resolve("usr");
    return new LanguagePrograms(
        only(usr.resolve("lib/postgresql"), ".*").resolve("bin/psql"),
        only(usr.resolve("bin"), PYTHON),
        usr.resolve("bin/node"),
        folder,
        Map.of(
            "LD_LIBRARY_PATH", UnpackedPrograms.libraries(folder),
            "PYTHONHOME", usr.toString(),
            "NODE_PATH", usr.resolve("share/nodejs").toString()));
  }

  private static Path only(Path folder, String name) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.getFileName().toString().matches(name))
          .findFirst()
          .orElseThrow(() -> new IOException(folder + " holds no " + name + "; delete it"));
    }
  }
}
