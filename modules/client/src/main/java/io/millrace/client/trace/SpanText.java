package io.millrace.client.trace;

import io.vertx.core.spi.tracing.TagExtractor;
import java.util.List;
import java.util.Map;

/**
 * What a span is called and says of itself, in the words of the OpenTelemetry semantic conventions
 * for messaging.
 *
 * @param name operation and topic: of low cardinality
 * @param tags attributes by name
 */
public record SpanText(String name, List<Map.Entry<String, String>> tags) {
  static final TagExtractor<SpanText> TAGS = new Tags();

  /** The outbox as a messaging system. */
  public static final String MILLRACE = "millrace";

  public static final String KAFKA = "kafka";

  public static final String SYSTEM = "messaging.system";
  public static final String OPERATION = "messaging.operation.name";
  public static final String OPERATION_TYPE = "messaging.operation.type";
  public static final String DESTINATION = "messaging.destination.name";
  public static final String MESSAGE_ID = "messaging.message.id";
  public static final String BATCH_COUNT = "messaging.batch.message_count";
  public static final String TOPIC_PARTITION = "messaging.destination.partition.id";
  public static final String GROUP = "messaging.consumer.group.name";
  public static final String OFFSET = "messaging.kafka.offset";
  public static final String EVENT_TYPE = "cloudevents.event_type";

  public SpanText {
    tags = List.copyOf(tags);
  }

  private static final class Tags implements TagExtractor<SpanText> {
    @Override
    public int len(SpanText text) {
      return text.tags().size();
    }

    @Override
    public String name(SpanText text, int index) {
      return text.tags().get(index).getKey();
    }

    @Override
    public String value(SpanText text, int index) {
      return text.tags().get(index).getValue();
    }
  }
}
