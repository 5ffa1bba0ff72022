package io.millrace.client.trace;

import io.millrace.core.message.Header;
import io.millrace.core.message.TraceContext;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.spi.tracing.SpanKind;
import io.vertx.core.spi.tracing.TagExtractor;
import io.vertx.core.spi.tracing.VertxTracer;
import io.vertx.core.tracing.TracingPolicy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The tracer of a Vert.x for spans of messages. It continues traces and begins none. What the
 * tracer throws costs the span and nothing else: the first time is logged, the others are not.
 */
public final class MessageTracer {
  private static final Logger LOG = LoggerFactory.getLogger(MessageTracer.class);
  private static final AtomicBoolean HAS_FAILED = new AtomicBoolean();

  private final VertxTracer<Object, Object> tracer;

  private MessageTracer(VertxTracer<Object, Object> tracer) {
    this.tracer = tracer;
  }

  /** Of a Vert.x; null: it traces nothing. */
  public static @Nullable MessageTracer of(Vertx vertx) {
    VertxTracer<?, ?> tracer = ((VertxInternal) vertx).tracer();
    return tracer == null ? null : new MessageTracer(anyTrace(tracer));
  }

  /** What a tracer gives is only ever given back to it. */
  @SuppressWarnings("unchecked")
  private static VertxTracer<Object, Object> anyTrace(VertxTracer<?, ?> tracer) {
    return (VertxTracer<Object, Object>) tracer;
  }

  /**
   * Begins a span of kind consumer, as a child of the message's trace, or else of the context's. It
   * is the current one of the context until it ends.
   *
   * @param headers of the message
   */
  public OpenSpan receive(ContextInternal context, SpanText text, List<Header> headers) {
    Map<String, String> readable = new LinkedHashMap<>();
    if (TraceContext.isReadable(headers)) {
      headers.forEach(header -> readable.putIfAbsent(header.name(), header.value()));
    }
    try {
      Object trace =
          tracer.receiveRequest(
              context,
              SpanKind.MESSAGING,
              TracingPolicy.PROPAGATE,
              text,
              text.name(),
              readable.entrySet(),
              SpanText.TAGS);
      return trace == null
          ? OpenSpan.NONE
          : OpenSpan.of(List.of(), failure -> endReceive(context, trace, failure));
    } catch (RuntimeException | LinkageError e) {
      return failed(e);
    }
  }

  private void endReceive(ContextInternal context, Object trace, @Nullable Throwable failure) {
    try {
      tracer.sendResponse(context, null, trace, failure, TagExtractor.empty());
    } catch (RuntimeException | LinkageError e) {
      tell(e);
    }
  }

  /** Begins a span of kind producer, as a child of the context's; none if that has none. */
  public OpenSpan send(ContextInternal context, SpanText text) {
    List<Header> headers = new ArrayList<>();
    try {
      Object trace =
          tracer.sendRequest(
              context,
              SpanKind.MESSAGING,
              TracingPolicy.PROPAGATE,
              text,
              text.name(),
              (name, value) -> take(headers, name, value),
              SpanText.TAGS);
      return trace == null
          ? OpenSpan.NONE
          : OpenSpan.of(headers, failure -> endSend(context, trace, failure));
    } catch (RuntimeException | LinkageError e) {
      return failed(e);
    }
  }

  private static void take(List<Header> headers, @Nullable String name, @Nullable String value) {
    if (name != null && value != null) {
      headers.add(new Header(name, value));
    }
  }

  private void endSend(ContextInternal context, Object trace, @Nullable Throwable failure) {
    try {
      tracer.receiveResponse(context, null, trace, failure, TagExtractor.empty());
    } catch (RuntimeException | LinkageError e) {
      tell(e);
    }
  }

  private static OpenSpan failed(Throwable cause) {
    tell(cause);
    return OpenSpan.NONE;
  }

  private static void tell(Throwable cause) {
    if (!HAS_FAILED.getAndSet(true)) {
      LOG.warn("The tracer failed; messages go on without spans where it does", cause);
    }
  }
}
