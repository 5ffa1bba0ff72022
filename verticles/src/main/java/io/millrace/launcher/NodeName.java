package io.millrace.launcher;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A name for a node that was given none: host, process and a random suffix, for people to
 * recognise.
 */
final class NodeName {
  private NodeName() {}

  static String generate() {
    return host()
        + "-"
        + ProcessHandle.current().pid()
        + "-"
        + Integer.toHexString(ThreadLocalRandom.current().nextInt(0x1000, 0x10000));
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "node";
    }
  }
}
