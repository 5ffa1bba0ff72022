package io.millrace.example.payment.check;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A temporary directory for configuration and logs; deleted in the end unless it is kept. */
final class CheckDirectory implements AutoCloseable {
  private final Path path;
  private volatile boolean isKept;

  private CheckDirectory(Path path) {
    this.path = path;
  }

  static CheckDirectory in(Path parent) throws IOException {
    CheckDirectory directory =
        new CheckDirectory(Files.createTempDirectory(parent, "millrace-check"));
    // After Ctrl-C nobody else closes it.
    Runtime.getRuntime().addShutdownHook(new Thread(directory::closeQuietly, "check-directory"));
    return directory;
  }

  Path path() {
    return path;
  }

  void keep() {
    isKept = true;
  }

  /** JSON is YAML, too. */
  Path writeConfig(Map<String, Object> sections) throws IOException {
    return Files.writeString(path.resolve("node.yaml"), new JsonObject(sections).encodePrettily());
  }

  @Override
  public void close() throws IOException {
    if (isKept || !Files.exists(path)) {
      return;
    }
    List<Path> all;
    try (Stream<Path> found = Files.walk(path)) {
      all = found.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : all) {
      Files.deleteIfExists(file);
    }
  }

  private void closeQuietly() {
    try {
      close();
    } catch (IOException e) {
      System.err.println("cannot delete " + path + ": " + e.getMessage());
    }
  }
}
