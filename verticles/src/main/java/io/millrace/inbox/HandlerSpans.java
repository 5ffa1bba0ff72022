package io.millrace.inbox;

import io.millrace.client.InboxBatchHandler;
import io.millrace.client.InboxContext;
import io.millrace.client.InboxMessage;
import io.millrace.client.OneByOne;
import io.millrace.client.trace.MessageTracer;
import io.millrace.client.trace.OpenSpan;
import io.millrace.client.trace.SpanText;
import io.millrace.core.inbox.ReceivedRecord;
import io.millrace.core.message.Header;
import io.millrace.core.message.HeaderName;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The spans of one call of a handler, a child of its record's trace for each message. While a
 * handler works on one message, that message's span is the current one, and what the handler does
 * lies below it. With a batch of several, which may belong to as many traces, none is.
 *
 * <p>Lives on the context of its own on which the handler is called.
 */
final class HandlerSpans {
  private final MessageTracer tracer;
  private final String consumer;
  private final List<OpenSpan> open = new ArrayList<>();
  private boolean isEnded;

  HandlerSpans(MessageTracer tracer, String consumer) {
    this.tracer = tracer;
    this.consumer = consumer;
  }

  /** Calls the handler; returns and throws what it does. */
  Future<Void> call(InboxBatchHandler handler, List<InboxMessage> messages, InboxContext context) {
    if (handler instanceof OneByOne single) {
      return single.within(this::around).handle(messages, context);
    }
    ContextInternal current = ContextInternal.current();
    boolean isAlone = messages.size() == 1;
    for (InboxMessage message : messages) {
      begin(isAlone ? current : current.duplicate(), message);
    }
    return handler.handle(messages, context);
  }

  private Future<Void> around(InboxMessage message, Supplier<Future<Void>> call) {
    ContextInternal own = ContextInternal.current();
    OpenSpan span = begin(own, message);
    Future<Void> handled = call.get();
    if (handled == null) {
      return handled; // refused by whoever called, and ended with the call
    }
    if (handled.isComplete()) {
      end(span, handled.cause());
      return handled;
    }
    return handled.onComplete(done -> at(own, () -> end(span, done.cause())));
  }

  /** A handler's future may complete on any thread. */
  private static void at(ContextInternal own, Runnable ending) {
    if (ContextInternal.current() == own) {
      ending.run();
    } else {
      own.runOnContext(arrived -> ending.run());
    }
  }

  /** None for what goes on after the call was given up. */
  private OpenSpan begin(ContextInternal context, InboxMessage message) {
    if (isEnded) {
      return OpenSpan.NONE;
    }
    OpenSpan span = tracer.receive(context, text(message), headers(message.record()));
    if (span.isOpen()) {
      open.add(span);
    }
    return span;
  }

  private void end(OpenSpan span, @Nullable Throwable failure) {
    open.remove(span);
    span.end(failure);
  }

  /** The call is over: ends what is open. */
  void end(@Nullable Throwable failure) {
    isEnded = true;
    open.forEach(span -> span.end(failure));
    open.clear();
  }

  private SpanText text(InboxMessage message) {
    ReceivedRecord record = message.record();
    return new SpanText(
        "process " + record.topic(),
        List.of(
            Map.entry(SpanText.SYSTEM, SpanText.KAFKA),
            Map.entry(SpanText.OPERATION, "process"),
            Map.entry(SpanText.OPERATION_TYPE, "process"),
            Map.entry(SpanText.DESTINATION, record.topic()),
            Map.entry(SpanText.TOPIC_PARTITION, Integer.toString(record.topicPartition())),
            Map.entry(SpanText.OFFSET, Long.toString(record.offset())),
            Map.entry(SpanText.GROUP, consumer),
            Map.entry(SpanText.MESSAGE_ID, message.messageId().toString()),
            Map.entry(SpanText.EVENT_TYPE, message.eventType())));
  }

  /** Those of text, without Millrace's own. */
  private static List<Header> headers(ReceivedRecord record) {
    List<Header> headers = new ArrayList<>();
    record
        .headers()
        .forEach(
            header ->
                header
                    .text()
                    .filter(text -> !HeaderName.isReserved(header.name()))
                    .ifPresent(text -> headers.add(new Header(header.name(), text))));
    return headers;
  }
}
