package io.millrace.launcher;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.tracing.opentelemetry.OpenTelemetryTracingFactory;
import java.util.List;
import java.util.function.Supplier;
import org.awaitility.Awaitility;

/** The spans that an OpenTelemetry SDK was given, and Vert.xs that give it theirs. */
final class Spans implements AutoCloseable {
  private static final AttributeKey<String> QUERY = AttributeKey.stringKey("db.query.text");

  private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
  private final OpenTelemetrySdk sdk =
      OpenTelemetrySdk.builder()
          .setTracerProvider(
              SdkTracerProvider.builder()
                  .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                  .build())
          .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
          .build();

  Vertx vertx() {
    return Vertx.builder().withTracer(new OpenTelemetryTracingFactory(sdk)).build();
  }

  /** Does something on a context within a new trace; ends its first span when that is done. */
  <T> T inTrace(Vertx vertx, String name, Supplier<Future<T>> work) {
    Promise<T> done = Promise.promise();
    vertx.runOnContext(
        here -> {
          Span root = sdk.getTracer("test").spanBuilder(name).startSpan();
          Scope current = root.makeCurrent();
          work.get().onComplete(done);
          done.future()
              .onComplete(
                  ended -> {
                    current.close();
                    root.end();
                  });
        });
    return Stand.await(done.future());
  }

  List<SpanData> all() {
    return exporter.getFinishedSpanItems();
  }

  List<SpanData> named(String name) {
    return all().stream().filter(span -> span.getName().equals(name)).toList();
  }

  /** Waits until there are so many of that name. */
  List<SpanData> await(String name, int count) {
    Awaitility.await("spans " + name + " among " + all().stream().map(SpanData::getName).toList())
        .atMost(Stand.LIMIT)
        .until(() -> named(name).size() >= count);
    return named(name);
  }

  SpanData one(String name) {
    return await(name, 1).get(0);
  }

  SpanData parentOf(SpanData span) {
    return all().stream()
        .filter(candidate -> candidate.getSpanId().equals(span.getParentSpanId()))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no parent of " + span + " in " + all()));
  }

  /** The statements that ran right below a span. */
  List<String> queriesBelow(SpanData span) {
    return all().stream()
        .filter(candidate -> candidate.getParentSpanId().equals(span.getSpanId()))
        .map(candidate -> candidate.getAttributes().get(QUERY))
        .filter(text -> text != null)
        .toList();
  }

  void forget() {
    exporter.reset();
  }

  @Override
  public void close() {
    sdk.close();
  }
}
