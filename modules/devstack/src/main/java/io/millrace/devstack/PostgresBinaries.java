package io.millrace.devstack;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * The programs of PostgreSQL, unpacked once and kept in a cache folder for all later starts.
 *
 * <p>A folder in the cache is complete: it is unpacked under another name, under a file lock that
 * the kernel releases if this JVM dies, and then renamed.
 */
final class PostgresBinaries {
  private static final String OWNER_WRITES_ALL_READ = "rwxr-xr-x";

  private final Path cache;

  PostgresBinaries(Path cache) {
    this.cache = cache;
  }

  /**
   * The cache of this user: below /var/cache for root, whose home other users cannot enter and a
   * server started by root may run as another user; else below ~/.cache; below java.io.tmpdir for a
   * user without a home.
   */
  static PostgresBinaries ofUser() {
    Path base = base();
    return new PostgresBinaries(
        Files.isWritable(base)
            ? base.resolve(Unprivileged.isRoot() ? "millrace" : ".cache/millrace")
            : Path.of(
                System.getProperty("java.io.tmpdir"),
                "millrace-" + System.getProperty("user.name")));
  }

  private static Path base() {
    return Unprivileged.isRoot() ? Path.of("/var/cache") : Path.of(System.getProperty("user.home"));
  }

  /** Returns the folder with bin, lib and share; the first call for a version takes seconds. */
  Path unpacked(int majorVersion) {
    String platform = platform();
    String version = version(majorVersion);
    Path folder = cache.resolve("postgres-%s-linux-%s".formatted(version, platform));
    String archive = "/postgres/%d/postgres-linux-%s.txz".formatted(majorVersion, platform);
    try {
      if (!Files.isDirectory(folder)) {
        unpackOnce(archive, folder);
      }
      return folder;
    } catch (IOException e) {
      throw new DevStackException(
          "cannot unpack PostgreSQL %s to %s".formatted(version, folder), e);
    }
  }

  private static String version(int majorVersion) {
    Properties versions = new Properties();
    try {
      versions.load(new StringReader(Resources.text("binaries.properties")));
    } catch (IOException e) {
      throw new DevStackException("cannot read the list of PostgreSQL versions", e);
    }
    String version = versions.getProperty(String.valueOf(majorVersion));
    if (version == null) {
      throw new DevStackException(
          "no PostgreSQL %d here, only %s".formatted(majorVersion, versions.stringPropertyNames()));
    }
    return version;
  }

  private static String platform() {
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String architecture = System.getProperty("os.arch");
    if (system.equals("linux") && architecture.equals("amd64")) {
      return "x86_64";
    }
    if (system.equals("linux") && architecture.equals("aarch64")) {
      return "arm_64";
    }
    throw new DevStackException(
        "the embedded PostgreSQL runs on Linux on x86_64 or arm64, not on %s on %s"
            .formatted(system, architecture));
  }

  // The file lock keeps other JVMs out, the monitor other threads: a JVM holds a file lock once.
  private void unpackOnce(String archive, Path folder) throws IOException {
    synchronized (PostgresBinaries.class) {
      Files.createDirectories(cache);
      Path lockFile = cache.resolve(folder.getFileName() + ".lock");
      try (FileChannel channel =
              FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileLock lock = channel.lock()) {
        requireOwnCache(lockFile);
        if (lock.isValid() && !Files.isDirectory(folder)) {
          Path staging = cache.resolve(folder.getFileName() + ".unpacking");
          deleteTree(staging);
          unpack(archive, staging);
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

  private static void unpack(String archive, Path target) throws IOException {
    try (InputStream resource = new BufferedInputStream(Resources.open(archive));
        TarArchiveInputStream entries = new TarArchiveInputStream(new XZInputStream(resource))) {
      createDirectory(target);
      for (TarArchiveEntry entry = entries.getNextEntry();
          entry != null;
          entry = entries.getNextEntry()) {
        unpackEntry(entries, entry, target);
      }
    }
  }

  private static void unpackEntry(TarArchiveInputStream in, TarArchiveEntry entry, Path target)
      throws IOException {
    Path path = target.resolve(entry.getName()).normalize();
    if (!path.startsWith(target)) {
      throw new IOException("archive entry outside of its folder: " + entry.getName());
    }
    if (entry.isDirectory()) {
      createDirectory(path);
      return;
    }
    Path parent = path.getParent();
    if (parent != null) {
      createDirectory(parent);
    }
    if (entry.isSymbolicLink()) {
      Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
    } else {
      Files.copy(in, path);
      boolean program = (entry.getMode() & 0100) != 0;
      Files.setPosixFilePermissions(
          path, PosixFilePermissions.fromString(program ? OWNER_WRITES_ALL_READ : "rw-r--r--"));
    }
  }

  private static void createDirectory(Path path) throws IOException {
    Files.createDirectories(path);
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(OWNER_WRITES_ALL_READ));
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
