package io.millrace.bench.gruelbox;

/** What is scheduled; of types that the library stores as they are. */
public interface Announcer {

  /** Returns when the message is acknowledged. */
  void announce(String messageId, String aggregateId, String payload) throws Exception;
}
