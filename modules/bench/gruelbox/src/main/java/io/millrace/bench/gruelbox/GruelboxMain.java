package io.millrace.bench.gruelbox;

import io.millrace.bench.spi.PeerSubject;
import io.millrace.bench.spi.SubjectProcess;

/** The process in which gruelbox transaction-outbox is measured. */
public final class GruelboxMain {
  private GruelboxMain() {}

  public static void main(String[] arguments) {
    SubjectProcess.run(
        arguments, settings -> new PeerSubject(settings, new GruelboxPeer(settings)));
  }
}
