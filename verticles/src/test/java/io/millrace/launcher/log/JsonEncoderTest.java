package io.millrace.launcher.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Scope;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

class JsonEncoderTest {
  private final LoggerContext context = new LoggerContext();
  private final JsonEncoder encoder = new JsonEncoder();

  @BeforeEach
  void start() {
    encoder.setContext(context);
    encoder.start();
  }

  private LoggingEvent event(String message, Throwable failure, Object... arguments) {
    return event(Map.of(), message, failure, arguments);
  }

  private LoggingEvent event(
      Map<String, String> mdc, String message, Throwable failure, Object... arguments) {
    LoggingEvent event =
        new LoggingEvent(
            "here", context.getLogger("io.millrace.Some"), Level.WARN, message, failure, arguments);
    event.setTimeStamp(1_700_000_000_123L);
    event.setThreadName("a thread");
    event.setMDCPropertyMap(mdc);
    return event;
  }

  private JsonObject line(LoggingEvent event) {
    String text = new String(encoder.encode(event), StandardCharsets.UTF_8);
    assertThat(text).endsWith("\n").doesNotContain("\n{").hasLineCount(1);
    return new JsonObject(text);
  }

  @Test
  void a_line_says_when_how_bad_who_and_what_and_nothing_that_there_is_not() {
    assertThat(line(event("found {} of {}", null, 1, "\"two\"\nlines")).getMap())
        .containsExactly(
            Map.entry("time", "2023-11-14T22:13:20.123Z"),
            Map.entry("level", "WARN"),
            Map.entry("logger", "io.millrace.Some"),
            Map.entry("thread", "a thread"),
            Map.entry("message", "found 1 of \"two\"\nlines"));
  }

  @Test
  void a_failure_is_in_its_line_with_its_causes() {
    Throwable failure = new IllegalStateException("outer", new RuntimeException("inner"));

    assertThat(line(event("failed", failure)).getString("stack_trace"))
        .contains("IllegalStateException: outer", "Caused by: java.lang.RuntimeException: inner")
        .contains("\tat ");
  }

  @Test
  void a_line_names_its_node_and_the_span_within_which_it_was_written() {
    context.putProperty("node", "node-seven");
    SpanContext span =
        SpanContext.create(
            "0af7651916cd43dd8448eb211c80319c",
            "b7ad6b7169203331",
            TraceFlags.getSampled(),
            TraceState.getDefault());
    JsonObject line;
    Scope scope = Span.wrap(span).makeCurrent();
    try {
      line = line(event("in a span", null));
    } finally {
      scope.close();
    }

    assertThat(line.getString("node")).isEqualTo("node-seven");
    assertThat(line.getString("trace_id")).isEqualTo("0af7651916cd43dd8448eb211c80319c");
    assertThat(line.getString("span_id")).isEqualTo("b7ad6b7169203331");
  }

  @Test
  void pairs_of_a_line_cannot_stand_in_for_its_own_names() {
    LoggingEvent event = event(Map.of("level", "none", "tenant", "a"), "with pairs", null);
    event.addKeyValuePair(new KeyValuePair("message", null));
    event.addKeyValuePair(new KeyValuePair("rows", 7));
    JsonObject line = line(event);

    assertThat(line.getString("level")).isEqualTo("WARN");
    assertThat(line.getJsonObject("mdc"))
        .isEqualTo(new JsonObject().put("level", "none").put("tenant", "a"));
    assertThat(line.getJsonObject("keys"))
        .isEqualTo(new JsonObject().put("message", "null").put("rows", "7"));
  }
}
