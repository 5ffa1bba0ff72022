package io.millrace.launcher.log;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.slf4j.event.KeyValuePair;

/**
 * Writes each event as one JSON object on a line of its own, in UTF-8. The names are part of what
 * operators build on: time (RFC 3339, UTC), level, logger, thread, message; and where there is one:
 * node, trace_id and span_id of the span within which it was written, stack_trace, mdc and keys.
 *
 * <p>On the thread that logs: with an asynchronous appender in front the span would be another.
 */
public final class JsonEncoder extends EncoderBase<ILoggingEvent> {
  static final String NODE = "node";

  private static final byte[] NOTHING = {};

  private final ThrowableProxyConverter stackTraces = new ThrowableProxyConverter();

  @Override
  public void start() {
    stackTraces.setContext(getContext());
    stackTraces.start();
    super.start();
  }

  @Override
  public byte[] headerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    JsonObject line =
        new JsonObject()
            .put("time", Instant.ofEpochMilli(event.getTimeStamp()).toString())
            .put("level", event.getLevel().toString())
            .put("logger", event.getLoggerName())
            .put("thread", event.getThreadName())
            .put("message", event.getFormattedMessage());
    String node = event.getLoggerContextVO().getPropertyMap().get(NODE);
    if (node != null) {
      line.put(NODE, node);
    }
    putSpan(line);
    if (event.getThrowableProxy() != null) {
      line.put("stack_trace", stackTraces.convert(event));
    }
    putPairs(line, event);
    return (line.encode() + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private static void putSpan(JsonObject line) {
    SpanContext span = Span.current().getSpanContext();
    if (span.isValid()) {
      line.put("trace_id", span.getTraceId()).put("span_id", span.getSpanId());
    }
  }

  /** As texts, in objects of their own: no name in them can hide one of the line's. */
  private static void putPairs(JsonObject line, ILoggingEvent event) {
    if (!event.getMDCPropertyMap().isEmpty()) {
      JsonObject mdc = new JsonObject();
      event.getMDCPropertyMap().forEach(mdc::put);
      line.put("mdc", mdc);
    }
    if (event.getKeyValuePairs() != null && !event.getKeyValuePairs().isEmpty()) {
      JsonObject keys = new JsonObject();
      for (KeyValuePair pair : event.getKeyValuePairs()) {
        keys.put(pair.key, String.valueOf(pair.value));
      }
      line.put("keys", keys);
    }
  }

  @Override
  public byte[] footerBytes() {
    return NOTHING;
  }
}
