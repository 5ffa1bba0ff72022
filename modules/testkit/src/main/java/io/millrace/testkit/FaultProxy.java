package io.millrace.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A network that can be hurt: a TCP port on 127.0.0.1 behind which one server stands. Clients that
 * are told the proxy's port instead of the server's have every fault of the way there in the hand
 * of a test.
 *
 * <pre>
 *   open --(stall)--> stalled      open, stalled --(cut)--> cut      stalled, cut --(heal)--> open
 *   any --(close)--> closed, for good
 * </pre>
 *
 * <p>Thread-safe; no call waits for a peer. Two daemon threads a connection and one for the port.
 */
public final class FaultProxy implements AutoCloseable {
  private static final int BACKLOG = 200;
  private static final long END_WAIT_MS = 5_000;

  private enum State {
    OPEN,
    STALLED,
    CUT,
    CLOSED
  }

  private final InetSocketAddress target;
  private final ServerSocket listener;
  private final Thread accepting;
  private final Set<ProxiedConnection> connections = new HashSet<>();
  private final Set<ProxiedConnection> stranded = new HashSet<>();
  private final ByteMeter toServer = new ByteMeter();
  private final ByteMeter toClient = new ByteMeter();

  private State state = State.OPEN;
  private long cuts;
  private int accepted;

  private FaultProxy(InetSocketAddress target, ServerSocket listener) {
    this.target = target;
    this.listener = listener;
    this.accepting = new Thread(this::accept, "fault-proxy-" + listener.getLocalPort());
    accepting.setDaemon(true);
  }

  /**
   * Listens on a free port. The server need not run yet: it is connected to for each client that
   * comes, and a client that comes while it is down is reset.
   *
   * @throws IOException if no port can be had
   */
  public static FaultProxy to(String host, int port) throws IOException {
    ServerSocket listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    FaultProxy proxy = new FaultProxy(new InetSocketAddress(host, port), listener);
    proxy.accepting.start();
    return proxy;
  }

  public String host() {
    return listener.getInetAddress().getHostAddress();
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** How many connections there are, those that are stalled among them. */
  public synchronized int connections() {
    return connections.size();
  }

  /** How often connections have been cut, all of one moment counted once. */
  public synchronized long cuts() {
    return cuts;
  }

  /** Bytes that have been passed on from clients to the server since the start. */
  public long bytesToServer() {
    return toServer.passed();
  }

  /** Resets every connection at both ends, and from now on every new one at once, until healed. */
  public void cut() {
    synchronized (this) {
      requireNotClosed();
      state = State.CUT;
    }
    cutOnce();
  }

  /** Resets every connection at both ends. New ones are let through. */
  public void cutOnce() {
    resetAll();
    synchronized (this) {
      disarm();
      cuts++;
      notifyAll();
    }
  }

  /**
   * Passes on so many bytes more from clients to the server, all connections together, then cuts
   * once: the server has the first part of a request, or a whole one whose answer is never seen.
   *
   * @param bytes at least 1
   */
  public void cutAfterBytes(long bytes) {
    toServer.cutAfter(bytes);
  }

  /**
   * As {@link #cutAfterBytes}, counted on the way back: clients have the first part of an answer.
   *
   * @param bytes at least 1
   */
  public void cutAfterAnswerBytes(long bytes) {
    toClient.cutAfter(bytes);
  }

  private void disarm() {
    toServer.disarm();
    toClient.disarm();
  }

  /**
   * Half-open from now on: connections stay, new ones are accepted, nothing passes in either
   * direction, not even the end of a connection. A chunk that is just being passed on still
   * arrives.
   */
  public synchronized void stall() {
    requireNotClosed();
    state = State.STALLED;
  }

  /**
   * Makes the connections that there are half-open, as a gateway does that has forgotten them. New
   * ones pass. Neither end is ever told; healing lets the old ones go on.
   */
  public synchronized void strand() {
    requireNotClosed();
    stranded.addAll(connections);
  }

  /** Everything passes again; what was held back first. A cut that was due is no longer. */
  public synchronized void heal() {
    requireNotClosed();
    state = State.OPEN;
    stranded.clear();
    disarm();
    notifyAll();
  }

  private void requireNotClosed() {
    if (state == State.CLOSED) {
      throw new IllegalStateException("the proxy on port " + port() + " is closed");
    }
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        ProxiedConnection connection = admit(client);
        if (connection == null) {
          ProxiedConnection.reset(client);
        } else {
          connection.start();
        }
      }
    } catch (IOException e) {
      // close() has closed the listener: there is nobody left to accept.
    }
  }

  private synchronized @Nullable ProxiedConnection admit(Socket client) {
    if (state == State.CUT || state == State.CLOSED) {
      return null;
    }
    String name = accepting.getName() + "-" + ++accepted;
    ProxiedConnection connection = new ProxiedConnection(this, name, client);
    connections.add(connection);
    return connection;
  }

  InetSocketAddress target() {
    return target;
  }

  /** Waits while nothing may pass; false when the connection has been cut. */
  synchronized boolean awaitPassage(ProxiedConnection connection) {
    try {
      while ((state == State.STALLED || stranded.contains(connection))
          && connections.contains(connection)) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    return connections.contains(connection);
  }

  ByteMeter toServer() {
    return toServer;
  }

  ByteMeter toClient() {
    return toClient;
  }

  synchronized void ended(ProxiedConnection connection) {
    connections.remove(connection);
    stranded.remove(connection);
  }

  private void resetAll() {
    List<ProxiedConnection> all;
    synchronized (this) {
      all = List.copyOf(connections);
      connections.clear();
      stranded.clear();
    }
    all.forEach(ProxiedConnection::reset);
  }

  /** Resets every connection and gives the port back. */
  @Override
  public void close() throws IOException {
    synchronized (this) {
      state = State.CLOSED;
      notifyAll();
    }
    listener.close();
    resetAll();
    try {
      TimeUnit.MILLISECONDS.timedJoin(accepting, END_WAIT_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
