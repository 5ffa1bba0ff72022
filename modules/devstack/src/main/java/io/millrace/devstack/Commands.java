package io.millrace.devstack;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Short commands of the system of which only success matters. */
final class Commands {
  private static final long LIMIT_SECONDS = 10;

  private Commands() {}

  /** False also when there is no such program or it takes longer than 10 s. */
  static boolean succeeds(List<String> command) {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return false;
      }
      return process.exitValue() == 0;
    } catch (IOException e) {
      return false; // no such program, which is an answer
    } catch (InterruptedException e) {
      throw Await.interrupted(e);
    }
  }
}
