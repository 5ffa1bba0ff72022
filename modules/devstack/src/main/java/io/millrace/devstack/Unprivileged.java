package io.millrace.devstack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * How this JVM runs PostgreSQL, which refuses to be root.
 *
 * <p>Not root: as it is. Root: in a user namespace of its own, where root's files look like another
 * user's who happens to be us; where namespaces are forbidden, as user 65534 (nobody).
 */
enum Unprivileged {
  AS_IT_IS,
  USER_NAMESPACE,
  OTHER_USER;

  /** Finds the way by trying. */
  static Unprivileged detect() {
    if (!isRoot()) {
      return AS_IT_IS;
    }
    return Commands.succeeds(List.of("unshare", "-U", "true")) ? USER_NAMESPACE : OTHER_USER;
  }

  static boolean isRoot() {
    try {
      return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    } catch (IOException e) {
      throw new DevStackException("cannot find out which user this is", e);
    }
  }

  /** What to put before a command line; keeps the process id. */
  List<String> prefix() {
    return switch (this) {
      case AS_IT_IS -> List.of();
      case USER_NAMESPACE -> List.of("unshare", "-U");
      case OTHER_USER -> List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");
    };
  }

  /** Gives the directory to the user as which the server will run. */
  void handOver(Path directory) {
    if (this == OTHER_USER
        && !Commands.succeeds(List.of("chown", "-R", "65534:65534", directory.toString()))) {
      throw new DevStackException("cannot give " + directory + " to user 65534");
    }
  }
}
