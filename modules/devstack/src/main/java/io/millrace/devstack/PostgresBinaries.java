package io.millrace.devstack;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Properties;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/** The programs of PostgreSQL that this module carries, unpacked into the cache. */
final class PostgresBinaries {
  private final ProgramCache cache;

  PostgresBinaries(ProgramCache cache) {
    this.cache = cache;
  }

  static PostgresBinaries ofUser() {
    return new PostgresBinaries(ProgramCache.ofUser());
  }

  /** Returns the folder with bin, lib and share; the first call for a version takes seconds. */
  Path unpacked(int majorVersion) {
    String platform = platform();
    String version = version(majorVersion);
    String name = "postgres-%s-linux-%s".formatted(version, platform);
    String archive = "/postgres/%d/postgres-linux-%s.txz".formatted(majorVersion, platform);
    try {
      return cache.folder(name, folder -> unpack(archive, folder));
    } catch (IOException e) {
      throw new DevStackException("cannot unpack PostgreSQL %s".formatted(version), e);
    }
  }

  /**
   * Refuses what is not carried, for containers too.
   *
   * @throws DevStackException naming what is
   */
  static void requireCarried(int majorVersion) {
    String unused = version(majorVersion);
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
          path,
          PosixFilePermissions.fromString(
              program ? ProgramCache.OWNER_WRITES_ALL_READ : "rw-r--r--"));
    }
  }

  private static void createDirectory(Path path) throws IOException {
    Files.createDirectories(path);
    Files.setPosixFilePermissions(
        path, PosixFilePermissions.fromString(ProgramCache.OWNER_WRITES_ALL_READ));
  }
}
