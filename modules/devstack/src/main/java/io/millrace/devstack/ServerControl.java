package io.millrace.devstack;

import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Starts and ends one server, and hurts it: the one thing that differs between a server that is a
 * process of this machine and one in a container.
 */
interface ServerControl extends AutoCloseable {

  /** Starts the server and waits until it is ready, at most 3 min; fails at once when it exits. */
  void start(BooleanSupplier ready);

  /** The server's process id as this machine sees it, or the last one when it does not run. */
  long pid();

  boolean wasStarted();

  /** Whether all its data goes when it is closed. */
  boolean isTemporary();

  boolean isRunning();

  /** All at once, as the death of its machine would have it. */
  void kill();

  /** Sends the signals one after the other, each with 10 s to take effect, and kills at last. */
  void stop(List<String> signals);

  void pause();

  void resume();

  @Override
  void close();
}
