package io.millrace.example.payment;

import io.millrace.client.InboxConsumer;
import java.nio.file.Path;
import java.util.List;

/** The process that charges payments: {@code ChargingNode CONFIG PROVIDER_URL}. */
public final class ChargingNode {
  static final String CONSUMER = "charging";

  private ChargingNode() {}

  public static void main(String[] args) throws Exception {
    ConsumerNode.run(
        Path.of(args[0]),
        (vertx, config) ->
            InboxConsumer.of(CONSUMER, List.of(PaymentsNode.TOPIC), new Charging(vertx, args[1])));
  }
}
