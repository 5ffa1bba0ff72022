package io.millrace.example.payment;

import io.millrace.client.InboxMessage;
import io.millrace.client.MessageRefused;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.UUID;

/**
 * What an event says: so much was paid into an account.
 *
 * @param eventId the message id, the same in every delivery
 * @param amountCents 1 or more
 */
public record Payment(UUID eventId, int account, long amountCents) {

  /**
   * Reads the payload.
   *
   * @throws MessageRefused if it can never be read
   */
  static Payment of(InboxMessage message) {
    try {
      JsonObject body = new JsonObject(message.payloadText());
      Integer account = body.getInteger("account");
      Long amountCents = body.getLong("amount_cents");
      if (account == null || amountCents == null || amountCents < 1) {
        throw new MessageRefused("account and a positive amount_cents are needed");
      }
      return new Payment(message.messageId(), account, amountCents);
    } catch (DecodeException | ClassCastException e) {
      throw new MessageRefused("the payload is no payment", e);
    }
  }

  /** The payload of the event. */
  public JsonObject toJson() {
    return new JsonObject().put("account", account).put("amount_cents", amountCents);
  }
}
