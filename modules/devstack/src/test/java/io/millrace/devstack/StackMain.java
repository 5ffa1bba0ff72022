package io.millrace.devstack;

import java.io.IOException;
import java.util.Map;

/** A JVM with a running stack and a pooler: prints the directories and waits to be killed. */
final class StackMain {
  private StackMain() {}

  public static void main(String[] arguments) throws IOException {
    DevStack stack = DevStack.start(DevStackSpec.temporary());
    PgBouncerServer pooler = PgBouncerServer.start(stack.postgres(), Map.of());
    System.out.println("directory " + pooler.logFile().getParent());
    System.out.println("directory " + stack.postgres().logFile().getParent());
    System.out.println("directory " + stack.kafka().logFile().getParent());
    System.out.println("ready");
    int ignored = System.in.read();
    pooler.close();
    stack.close();
  }
}
