package io.millrace.bench.pure;

import io.millrace.core.message.Header;
import io.millrace.core.message.NewMessage;
import io.millrace.core.message.OutboxMessage;
import io.millrace.core.message.Payload;
import io.millrace.core.message.Uuid7;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

/** Messages as applications send them: 1,000 bytes, trace context, one header of their own. */
public final class Samples {
  private static final int BYTES = 1_000;
  private static final Instant AT = Instant.parse("2026-01-01T12:00:00.123456Z");
  private static final List<Header> HEADERS =
      List.of(
          new Header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
          new Header("tenant", "north"));

  private Samples() {}

  /** The messages of a pass, each of another aggregate. */
  public static List<OutboxMessage> pass() {
    return IntStream.range(0, PerMessage.PASS).mapToObj(Samples::message).toList();
  }

  private static OutboxMessage message(int number) {
    return new OutboxMessage(
        1_000_000L + number,
        Uuid7.of(AT.toEpochMilli(), number, number),
        number % 32,
        "order",
        aggregateId(number),
        (long) number,
        "orders",
        null,
        "order_placed",
        "1",
        NewMessage.JSON,
        HEADERS,
        Payload.of(new byte[BYTES]),
        null,
        AT,
        BYTES + 100);
  }

  private static String aggregateId(int number) {
    return "order-%08d".formatted(number);
  }

  /** As many messages to append. */
  static List<NewMessage> toAppend() {
    return IntStream.range(0, PerMessage.PASS)
        .mapToObj(
            number ->
                NewMessage.of(
                        "orders",
                        "order",
                        aggregateId(number),
                        "order_placed",
                        Payload.of(new byte[BYTES]))
                    .withHeaders(HEADERS))
        .toList();
  }
}
