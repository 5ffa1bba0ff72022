package io.millrace.bench.classic;

import io.millrace.bench.spi.PeerSubject;
import io.millrace.bench.spi.SubjectProcess;

/** The process in which the classic relay is measured. */
public final class ClassicMain {
  private ClassicMain() {}

  public static void main(String[] arguments) {
    SubjectProcess.run(arguments, settings -> new PeerSubject(settings, new ClassicPeer(settings)));
  }
}
