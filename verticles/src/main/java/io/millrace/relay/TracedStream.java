package io.millrace.relay;

import io.millrace.client.trace.MessageTracer;
import io.millrace.client.trace.OpenSpan;
import io.millrace.client.trace.SpanText;
import io.millrace.core.message.OutboxMessage;
import io.millrace.core.message.TraceContext;
import io.millrace.port.PublishOutcome;
import io.millrace.port.PublishOutcome.Refusal;
import io.millrace.port.PublishStream;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A stream whose records name a span of their own as their parent, instead of the one that the
 * message was stored with. The two spans of a message, taken from the outbox and sent to Kafka,
 * last from the hand-over of its batch to the answer. A message without a trace has none.
 */
final class TracedStream implements PublishStream {
  private final PublishStream stream;
  private final MessageTracer tracer;

  TracedStream(PublishStream stream, MessageTracer tracer) {
    this.stream = stream;
    this.tracer = tracer;
  }

  /** A message as it was read, and its spans. */
  private record Traced(OutboxMessage original, OpenSpan relay, OpenSpan send) {
    void end(Map<Long, Throwable> failures) {
      Throwable failure = failures.get(original.id());
      send.end(failure);
      relay.end(failure);
    }
  }

  @Override
  public Future<PublishOutcome> publish(List<OutboxMessage> batch) {
    List<OutboxMessage> records = new ArrayList<>(batch.size());
    Map<Long, Traced> traced = new HashMap<>();
    for (OutboxMessage message : batch) {
      records.add(record(message, traced));
    }
    return traced.isEmpty()
        ? stream.publish(batch)
        : stream
            .publish(records)
            .map(outcome -> asRead(outcome, traced))
            .onComplete(outcome -> end(traced.values(), outcome));
  }

  private OutboxMessage record(OutboxMessage message, Map<Long, Traced> traced) {
    ContextInternal context = ContextInternal.current();
    if (context == null || !TraceContext.isReadable(message.headers())) {
      return message;
    }
    // Spans of many messages are open at the same time: a context for each.
    ContextInternal own = context.duplicate();
    OpenSpan relay = tracer.receive(own, relayText(message), message.headers());
    if (!relay.isOpen()) {
      return message;
    }
    OpenSpan send = tracer.send(own, sendText(message));
    traced.put(message.id(), new Traced(message, relay, send));
    return message.withHeaders(TraceContext.replaced(message.headers(), send.headers()));
  }

  private static SpanText relayText(OutboxMessage message) {
    return new SpanText(
        "relay " + message.topic(),
        List.of(
            Map.entry(SpanText.SYSTEM, SpanText.MILLRACE),
            Map.entry(SpanText.OPERATION, "relay"),
            Map.entry(SpanText.OPERATION_TYPE, "receive"),
            Map.entry(SpanText.DESTINATION, message.topic()),
            Map.entry(SpanText.MESSAGE_ID, message.messageId().toString()),
            Map.entry(SpanText.EVENT_TYPE, message.eventType()),
            Map.entry("millrace.shard", Integer.toString(message.shard())),
            Map.entry("millrace.message.position", Long.toString(message.id()))));
  }

  private static SpanText sendText(OutboxMessage message) {
    return new SpanText(
        "send " + message.topic(),
        List.of(
            Map.entry(SpanText.SYSTEM, SpanText.KAFKA),
            Map.entry(SpanText.OPERATION, "send"),
            Map.entry(SpanText.OPERATION_TYPE, "send"),
            Map.entry(SpanText.DESTINATION, message.topic()),
            Map.entry(SpanText.MESSAGE_ID, message.messageId().toString())));
  }

  /** What is parked, or sent again, keeps the trace that it was stored with. */
  private static PublishOutcome asRead(PublishOutcome outcome, Map<Long, Traced> traced) {
    return outcome.isAcknowledged()
        ? outcome
        : new PublishOutcome(
            outcome.refusals().stream().map(refusal -> asRead(refusal, traced)).toList());
  }

  private static Refusal asRead(Refusal refusal, Map<Long, Traced> traced) {
    Traced known = traced.get(refusal.message().id());
    return known == null
        ? refusal
        : new Refusal(known.original(), refusal.kind(), refusal.cause(), refusal.wasHandedOver());
  }

  private static void end(Iterable<Traced> traced, AsyncResult<PublishOutcome> answer) {
    Map<Long, Throwable> failures = new HashMap<>();
    if (answer.succeeded()) {
      answer
          .result()
          .refusals()
          .forEach(refusal -> failures.put(refusal.message().id(), refusal.cause()));
    }
    traced.forEach(each -> each.end(failures));
  }

  @Override
  public Future<Void> settle() {
    return stream.settle();
  }
}
