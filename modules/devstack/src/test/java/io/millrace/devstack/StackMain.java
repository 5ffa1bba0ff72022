package io.millrace.devstack;

import java.io.IOException;

/** A JVM with a running stack: prints the two directories and waits to be killed. */
final class StackMain {
  private StackMain() {}

  public static void main(String[] arguments) throws IOException {
    DevStack stack = DevStack.start(DevStackSpec.temporary());
    System.out.println("directory " + stack.postgres().logFile().getParent());
    System.out.println("directory " + stack.kafka().logFile().getParent());
    System.out.println("ready");
    int ignored = System.in.read();
    stack.close();
  }
}
