package io.millrace.testkit;

import io.millrace.testkit.ByteMeter.Allowance;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One client's connection through a {@link FaultProxy}: two threads, each of which carries bytes
 * one way. Over when both ways have ended in order, or as soon as one has failed.
 */
final class ProxiedConnection {
  private static final int CONNECT_MS_MAX = 5_000;
  private static final int CHUNK_BYTES = 16_384;

  private final FaultProxy proxy;
  private final String name;
  private final Socket client;
  private final Socket server = new Socket();
  private final AtomicInteger waysLeft = new AtomicInteger(2);

  ProxiedConnection(FaultProxy proxy, String name, Socket client) {
    this.proxy = proxy;
    this.name = name;
    this.client = client;
  }

  void start() {
    begin("-to-server", this::open);
  }

  private void begin(String suffix, Runnable work) {
    Thread thread = new Thread(work, name + suffix);
    thread.setDaemon(true);
    thread.start();
  }

  private void open() {
    if (!proxy.awaitPassage(this)) {
      return;
    }
    try {
      server.connect(proxy.target(), CONNECT_MS_MAX);
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
    } catch (IOException e) {
      fail(); // the server is down, or the connection has been cut meanwhile
      return;
    }
    begin("-to-client", () -> carry(proxy.toClient(), server, client));
    carry(proxy.toServer(), client, server);
  }

  private void carry(ByteMeter meter, Socket from, Socket to) {
    byte[] chunk = new byte[CHUNK_BYTES];
    try {
      while (carryOne(meter, from, to, chunk)) {
        // each call carries one chunk
      }
    } catch (IOException e) {
      // The end of a connection does not pass a stalled network either.
      proxy.awaitPassage(this);
      fail();
    }
  }

  /** False: this way has ended. */
  private boolean carryOne(ByteMeter meter, Socket from, Socket to, byte[] chunk)
      throws IOException {
    int count = from.getInputStream().read(chunk);
    if (!proxy.awaitPassage(this)) {
      return false;
    }
    if (count < 0) {
      to.shutdownOutput();
      if (waysLeft.decrementAndGet() == 0) {
        proxy.ended(this);
        client.close();
        server.close();
      }
      return false;
    }
    Allowance allowance = meter.allow(count);
    to.getOutputStream().write(chunk, 0, allowance.bytes());
    if (allowance.isLast()) {
      proxy.cutOnce();
    }
    return !allowance.isLast();
  }

  private void fail() {
    proxy.ended(this);
    reset();
  }

  void reset() {
    reset(client);
    reset(server);
  }

  /** With a linger time of zero the kernel ends a connection by a reset. */
  static void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
    } catch (IOException e) {
      // It is closed already, or was never open: then there is nothing to reset.
    }
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close " + socket, e);
    }
  }
}
