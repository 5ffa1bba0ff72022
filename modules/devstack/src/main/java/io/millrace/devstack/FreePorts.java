package io.millrace.devstack;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;

/**
 * Picks free ports on 127.0.0.1, never the same one twice in a JVM.
 *
 * <p>The ports lie between 15000 and 31999, below the range from which Linux serves outgoing
 * connections: a port there can be taken by any client while its server is down for a restart.
 */
public final class FreePorts {
  private static final int LOWEST = 15_000;
  private static final int HIGHEST = 31_999;
  private static final int TRIES_MAX = 1_000;

  private static final Random RANDOM = new Random();
  private static final Set<Integer> PICKED = new HashSet<>();

  private FreePorts() {}

  /**
   * Another process may still take the port before the caller binds it.
   *
   * @throws DevStackException when 1000 tries in a row found none
   */
  public static int pick() {
    synchronized (PICKED) {
      for (int tries = 0; tries < TRIES_MAX; tries++) {
        int port = LOWEST + RANDOM.nextInt(HIGHEST - LOWEST + 1);
        if (!PICKED.contains(port) && isFree(port)) {
          PICKED.add(port);
          return port;
        }
      }
    }
    throw new DevStackException(
        "no free port on 127.0.0.1 between %d and %d in %d tries"
            .formatted(LOWEST, HIGHEST, TRIES_MAX));
  }

  /**
   * The port asked for, or a picked one.
   *
   * @throws DevStackException when the port asked for is taken
   */
  static int fixedOrPicked(OptionalInt fixed) {
    if (fixed.isEmpty()) {
      return pick();
    }
    if (!isFree(fixed.getAsInt())) {
      throw new DevStackException("port " + fixed.getAsInt() + " on 127.0.0.1 is taken");
    }
    return fixed.getAsInt();
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      // The default, address reuse, is what the servers bind with; without it a port in TIME_WAIT
      // would count as taken.
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
