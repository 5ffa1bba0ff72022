package io.millrace.devstack;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Node.js with its npm: those that are installed on this system, else those of its packages,
 * unpacked into the cache without being installed.
 *
 * @param node the program
 * @param npm npm's script for it; empty: the program {@code npm} of this system
 * @param home the folder to start it in
 * @param environment what it needs beside this process' own
 */
public record NodeJs(Path node, Optional<Path> npm, Path home, Map<String, String> environment) {
  private static final String NAME = "npm";
  private static final String MODULES = "usr/share/nodejs";
  private static final Logger LOG = LoggerFactory.getLogger(NodeJs.class);

  public NodeJs {
    environment = Map.copyOf(environment);
  }

  /**
   * The first call on a system that has none installed takes a minute or more.
   *
   * @throws DevStackException with what to install when this system's packages cannot be fetched
   */
  public static NodeJs find() {
    Optional<Path> node = UnpackedPrograms.onThePath("node");
    if (node.isPresent() && UnpackedPrograms.onThePath("npm").isPresent()) {
      return new NodeJs(node.get(), Optional.empty(), Path.of("").toAbsolutePath(), Map.of());
    }
    return ofPackages(ProgramCache.ofUser());
  }

  static NodeJs ofPackages(ProgramCache cache) {
    LanguagePrograms languages = LanguagePrograms.find();
    try {
      Path modules = cache.folder(NAME, NodeJs::fetch).resolve(MODULES);
      Map<String, String> environment = new HashMap<>(languages.environment());
      environment.merge(
          "NODE_PATH", modules.toString(), (own, more) -> own + File.pathSeparator + more);
      return new NodeJs(
          languages.node(),
          Optional.of(modules.resolve("npm/bin/npm-cli.js")),
          languages.home(),
          environment);
    } catch (IOException e) {
      throw new DevStackException(
          "Node.js and npm are needed, and here are none: install them, on Debian with 'apt-get"
              + " install npm' ("
              + e.getMessage()
              + ")",
          e);
    }
  }

  private static void fetch(Path folder) throws IOException {
    LOG.info("fetching npm from this system's packages, which takes a minute or more");
    new FetchScript("npm-program.sh", List.of()).run(folder);
  }

  /** Packages of npm, each as NAME@VERSION, below {@code node_modules} of a folder. */
  void install(Path folder, List<String> packages) throws IOException {
    Map<String, String> all = new HashMap<>(environment);
    npm.ifPresent(
        script -> {
          all.put("NPM_NODE", node.toString());
          all.put("NPM_CLI", script.toString());
        });
    new FetchScript("npm.sh", packages).in(home, all).run(folder);
  }

  /** Starts a script; standard error comes with standard output. */
  public Process start(Path script, String... arguments) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(node.toString(), script.toAbsolutePath().toString());
    builder.command().addAll(List.of(arguments));
    builder.environment().putAll(environment);
    return builder.directory(home.toFile()).redirectErrorStream(true).start();
  }
}
