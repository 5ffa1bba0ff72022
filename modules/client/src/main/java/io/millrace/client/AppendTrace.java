package io.millrace.client;

import io.millrace.client.trace.MessageTracer;
import io.millrace.client.trace.OpenSpan;
import io.millrace.client.trace.SpanText;
import io.millrace.core.message.Header;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.TraceContext;
import io.vertx.core.internal.ContextInternal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The span of an append: a child of the caller's, and the parent of what relays do with it. */
final class AppendTrace {
  private static final String OPERATION = "append";

  private AppendTrace() {}

  /** None without a tracer, outside of Vert.x's contexts, and in a context without a trace. */
  static OpenSpan begin(List<NewMessage> messages) {
    ContextInternal context = ContextInternal.current();
    if (context == null) {
      return OpenSpan.NONE;
    }
    MessageTracer tracer = MessageTracer.of(context.owner());
    return tracer == null ? OpenSpan.NONE : tracer.send(context, text(messages));
  }

  /** The messages as they are written. */
  static List<NewMessage> carried(List<NewMessage> messages, OpenSpan span) {
    List<Header> trace = span.headers();
    return trace.isEmpty()
        ? messages
        : messages.stream()
            .map(message -> message.withHeaders(TraceContext.added(message.headers(), trace)))
            .toList();
  }

  private static SpanText text(List<NewMessage> messages) {
    List<Map.Entry<String, String>> tags = new ArrayList<>();
    tags.add(Map.entry(SpanText.SYSTEM, SpanText.MILLRACE));
    tags.add(Map.entry(SpanText.OPERATION, OPERATION));
    tags.add(Map.entry(SpanText.OPERATION_TYPE, "create"));
    if (messages.size() > 1) {
      tags.add(Map.entry(SpanText.BATCH_COUNT, Integer.toString(messages.size())));
    }
    String topic = commonTopic(messages);
    if (topic == null) {
      return new SpanText(OPERATION, tags);
    }
    tags.add(Map.entry(SpanText.DESTINATION, topic));
    return new SpanText(OPERATION + " " + topic, tags);
  }

  private static @Nullable String commonTopic(List<NewMessage> messages) {
    String topic = messages.get(0).topic();
    return messages.stream().allMatch(message -> message.topic().equals(topic)) ? topic : null;
  }
}
