package io.millrace.launcher;

import io.millrace.devstack.DevStack;
import io.millrace.devstack.DevStackSpec;

/**
 * A PostgreSQL and a Kafka for all test classes of this JVM that leave servers as they are:
 * starting some for each class takes longer than many a test. They end with the JVM, however it
 * ends. A class that kills, pauses or reconfigures servers has its own.
 */
public final class SharedStack {
  private static final DevStack STACK = DevStack.start(DevStackSpec.temporary());

  private SharedStack() {}

  /** Not to be closed. */
  public static DevStack get() {
    return STACK;
  }
}
