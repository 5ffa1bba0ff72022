package io.millrace.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A process that sees an unpacked image as its root, as in a container that is run with a read-only
 * root file system and an empty /tmp: without rights, and with no way to get any. What the image
 * leaves to its base, a Java runtime and the system's libraries, is this machine's.
 *
 * <p>Needs the kernel's mount namespaces; with root's rights, or where others may have namespaces,
 * too. It ends when the thread that started it does.
 */
final class Container implements AutoCloseable {
  /**
   * Becomes the command: its process id is the one that was started. Arguments: who it runs as, for
   * root (others become nobody in a namespace of its own), the root, the command.
   */
  private static final String ENTER =
      """
      set -e
      user=$1 root=$2
      shift 2
      mount --bind "$root" "$root"
      mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
      mount -o remount,bind,ro "$root"
      cd "$root"
      pivot_root . .host
      cd /
      if [ -n "$user" ]; then
        exec setpriv --reuid="${user%:*}" --regid="${user#*:}" --clear-groups \
          --no-new-privs --pdeathsig KILL "$@"
      fi
      exec unshare -U setpriv --no-new-privs --pdeathsig KILL "$@"
      """;

  private static final Set<String> OF_THE_IMAGE = Set.of("app", "etc", "tmp", "var");
  private static final long LIMIT_S = 60;

  private final Process process;
  private final Path output;

  private Container(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /** Adds to a folder with an image what the image finds in its base. */
  static void completeWithThisSystem(Path root) throws IOException {
    Files.createDirectories(root.resolve("tmp"));
    Files.createDirectories(root.resolve(".host"));
    Files.createDirectories(root.resolve("etc"));
    link(root, "");
    link(root, "etc/");
  }

  private static void link(Path root, String folder) throws IOException {
    try (Stream<Path> entries = Files.list(Path.of("/" + folder))) {
      for (Path entry : entries.toList()) {
        String name = entry.getFileName().toString();
        Path link = root.resolve(folder + name);
        if (!(folder.isEmpty() && OF_THE_IMAGE.contains(name)) && !Files.exists(link)) {
          Files.createSymbolicLink(link, Path.of("/.host/" + folder + name));
        }
      }
    }
  }

  /**
   * Starts a command.
   *
   * @param user numbers of user and group
   * @param environment all variables
   * @param output the file for what it writes
   */
  static Container start(
      Path root, String user, Map<String, String> environment, Path output, List<String> command)
      throws IOException {
    boolean isRoot = Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    List<String> all = new ArrayList<>(List.of("unshare", isRoot ? "-m" : "-Urm", "sh", "-c"));
    all.addAll(List.of(ENTER, "enter", isRoot ? user : "", root.toString()));
    all.addAll(command);
    ProcessBuilder builder =
        new ProcessBuilder(all).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder
        .environment()
        .put("PATH", Path.of(System.getProperty("java.home"), "bin") + ":/usr/sbin:/usr/bin:/bin");
    return new Container(builder.start(), output);
  }

  String output() throws IOException {
    return Files.readString(output);
  }

  /** SIGTERM, as the first thing that a container is told. */
  void terminate() {
    process.destroy();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Waits for the end. */
  int exitCode() throws InterruptedException {
    if (!process.waitFor(LIMIT_S, TimeUnit.SECONDS)) {
      throw new AssertionError("process " + process.pid() + " has not ended in " + LIMIT_S + " s");
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
