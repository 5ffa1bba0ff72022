package io.millrace.devstack;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where programs are unpacked once and kept for all later starts.
 *
 * <p>A folder in the cache is complete: it is filled under another name, under a file lock that the
 * kernel releases if this JVM dies, and then renamed.
 */
final class ProgramCache {
  static final String OWNER_WRITES_ALL_READ = "rwxr-xr-x";

  private final Path cache;

  /** Makes the folder given, which does not exist, and everything in it. */
  interface Filling {
    void fill(Path folder) throws IOException;
  }

  ProgramCache(Path cache) {
    this.cache = cache;
  }

  /**
   * The cache of this user: below /var/cache for root, whose home other users cannot enter and a
   * server started by root may run as another user; else below ~/.cache; below java.io.tmpdir for a
   * user without a home.
   */
  static ProgramCache ofUser() {
    Path base = base();
    return new ProgramCache(
        Files.isWritable(base)
            ? base.resolve(Unprivileged.isRoot() ? "millrace" : ".cache/millrace")
            : Path.of(
                System.getProperty("java.io.tmpdir"),
                "millrace-" + System.getProperty("user.name")));
  }

  private static Path base() {
    return Unprivileged.isRoot() ? Path.of("/var/cache") : Path.of(System.getProperty("user.home"));
  }

  /** Returns the folder of that name, which the first call fills. */
  Path folder(String name, Filling filling) throws IOException {
    Path folder = cache.resolve(name);
    if (!Files.isDirectory(folder)) {
      fillOnce(folder, filling);
    }
    return folder;
  }

  // The file lock keeps other JVMs out, the monitor other threads: a JVM holds a file lock once.
  private void fillOnce(Path folder, Filling filling) throws IOException {
    synchronized (ProgramCache.class) {
      Files.createDirectories(cache);
      Path lockFile = cache.resolve(folder.getFileName() + ".lock");
      try (FileChannel channel =
              FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileLock lock = channel.lock()) {
        requireOwnCache(lockFile);
        if (lock.isValid() && !Files.isDirectory(folder)) {
          Path staging = cache.resolve(folder.getFileName() + ".unpacking");
          deleteTree(staging);
          filling.fill(staging);
          Files.move(staging, folder, StandardCopyOption.ATOMIC_MOVE);
        }
      }
    }
  }

  /** Programs from a folder that another user made must not be run. */
  private void requireOwnCache(Path lockFile) throws IOException {
    if (!Files.getOwner(cache).equals(Files.getOwner(lockFile))) {
      throw new IOException(cache + " belongs to " + Files.getOwner(cache));
    }
    Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString(OWNER_WRITES_ALL_READ));
  }

  private static void deleteTree(Path root) throws IOException {
    if (!Files.exists(root)) {
      return;
    }
    List<Path> deepestFirst;
    try (Stream<Path> paths = Files.walk(root)) {
      deepestFirst = paths.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : deepestFirst) {
      Files.delete(path);
    }
  }
}
