package io.millrace.bench.millrace;

import io.millrace.bench.spi.PeerSubject;
import io.millrace.bench.spi.SubjectProcess;

/** The process in which Millrace is measured. */
public final class MillraceMain {
  private MillraceMain() {}

  public static void main(String[] arguments) {
    SubjectProcess.run(
        arguments, settings -> new PeerSubject(settings, new MillracePeer(settings)));
  }
}
