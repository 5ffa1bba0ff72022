package io.millrace.example.payment;

import io.millrace.client.InboxConsumer;
import java.nio.file.Path;
import java.util.List;

/** The process that books payments: {@code PaymentsNode CONFIG STRIPES}. */
public final class PaymentsNode {
  public static final String CONSUMER = "payments";
  public static final String TOPIC = "payments";

  private PaymentsNode() {}

  public static void main(String[] args) throws Exception {
    InboxConsumer consumer =
        InboxConsumer.ofBatches(CONSUMER, List.of(TOPIC), new AccountBooking())
            .withStripes(Integer.parseInt(args[1]));
    ConsumerNode.run(Path.of(args[0]), (vertx, config) -> consumer);
  }
}
