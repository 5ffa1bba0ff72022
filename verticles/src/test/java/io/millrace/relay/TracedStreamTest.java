package io.millrace.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.trace.MessageTracer;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.message.Header;
import io.millrace.core.message.OutboxMessage;
import io.millrace.port.PublishOutcome;
import io.millrace.port.PublishOutcome.Refusal;
import io.millrace.port.PublishStream;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.tracing.opentelemetry.OpenTelemetryTracingFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TracedStreamTest {
  private static final Header PARENT =
      new Header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");

  private final Vertx vertx =
      Vertx.builder()
          .withTracer(
              new OpenTelemetryTracingFactory(
                  OpenTelemetrySdk.builder()
                      .setPropagators(
                          ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
                      .build()))
          .build();

  @AfterEach
  void end() {
    vertx.close();
  }

  /** Refuses everything as it was handed to it. */
  private static final class Refusing implements PublishStream {
    private List<OutboxMessage> handedOver = List.of();

    @Override
    public Future<PublishOutcome> publish(List<OutboxMessage> batch) {
      handedOver = batch;
      RuntimeException cause = new RuntimeException("refused");
      return Future.succeededFuture(
          new PublishOutcome(
              batch.stream()
                  .map(message -> new Refusal(message, FailureKind.MESSAGE, cause, true))
                  .toList()));
    }

    @Override
    public Future<Void> settle() {
      return Future.succeededFuture();
    }
  }

  @Test
  void what_is_refused_comes_back_as_it_was_read_and_in_its_order() throws Exception {
    List<OutboxMessage> read =
        List.of(
            Messages.of(1, "a").withHeaders(List.of(PARENT)),
            Messages.of(2, "b"),
            Messages.of(3, "c").withHeaders(List.of(PARENT)));
    Refusing refusing = new Refusing();
    Promise<PublishOutcome> outcome = Promise.promise();
    vertx.runOnContext(
        here ->
            new TracedStream(refusing, MessageTracer.of(vertx)).publish(read).onComplete(outcome));

    PublishOutcome found =
        outcome.future().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    assertThat(found.refusals()).extracting(Refusal::message).containsExactlyElementsOf(read);
    assertThat(refusing.handedOver).hasSize(3);
    assertThat(refusing.handedOver.get(0)).isNotEqualTo(read.get(0));
    assertThat(refusing.handedOver.get(1)).isSameAs(read.get(1));
  }
}
