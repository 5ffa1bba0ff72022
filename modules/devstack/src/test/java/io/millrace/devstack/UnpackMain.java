package io.millrace.devstack;

import java.nio.file.Path;

/** A JVM that unpacks one version into the cache folder given. */
final class UnpackMain {
  private UnpackMain() {}

  public static void main(String[] arguments) {
    Path folder =
        new PostgresBinaries(new ProgramCache(Path.of(arguments[0])))
            .unpacked(Integer.parseInt(arguments[1]));
    System.out.println(folder);
  }
}
