package io.millrace.devstack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where a server lives.
 *
 * @param temporary made for one server and deleted with it
 */
record ServerDirectory(Path path, boolean temporary) {

  /** The given directory, created where it does not exist, or else a new temporary one. */
  static ServerDirectory of(@Nullable Path given, String kind) {
    try {
      if (given == null) {
        Path made = Files.createTempDirectory("millrace-" + kind + "-");
        return new ServerDirectory(made.toAbsolutePath(), true);
      }
      return new ServerDirectory(Files.createDirectories(given.toAbsolutePath()), false);
    } catch (IOException e) {
      throw new DevStackException("cannot make a directory for " + kind, e);
    }
  }
}
