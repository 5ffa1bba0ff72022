package io.millrace.bench.namastack;

import io.millrace.bench.spi.PeerSubject;
import io.millrace.bench.spi.SubjectProcess;

/** The process in which Namastack Outbox is measured. */
public final class NamastackMain {
  private NamastackMain() {}

  public static void main(String[] arguments) {
    SubjectProcess.run(
        arguments, settings -> new PeerSubject(settings, new NamastackPeer(settings)));
  }
}
