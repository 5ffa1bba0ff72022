package io.millrace.bench.debezium;

import io.millrace.bench.spi.PeerSubject;
import io.millrace.bench.spi.SubjectProcess;

/** The process in which Debezium is measured. */
public final class DebeziumMain {
  private DebeziumMain() {}

  public static void main(String[] arguments) {
    SubjectProcess.run(
        arguments, settings -> new PeerSubject(settings, new DebeziumPeer(settings)));
  }
}
