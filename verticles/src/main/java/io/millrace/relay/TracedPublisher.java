package io.millrace.relay;

import io.millrace.client.trace.MessageTracer;
import io.millrace.port.PublishStream;
import io.millrace.port.Publisher;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** A publisher whose records carry their messages' traces on, with a span for each. */
record TracedPublisher(Publisher publisher, MessageTracer tracer) implements Publisher {

  @Override
  public PublishStream open(BooleanSupplier mayHandOver) {
    return new TracedStream(publisher.open(mayHandOver), tracer);
  }

  @Override
  public Future<Void> probe(String topic) {
    return publisher.probe(topic);
  }

  @Override
  public Future<Map<String, Ailment>> ailing(List<String> topics) {
    return publisher.ailing(topics);
  }

  @Override
  public Future<Void> discard() {
    return publisher.discard();
  }

  @Override
  public Future<Void> close() {
    return publisher.close();
  }
}
