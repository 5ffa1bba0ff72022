package io.millrace.example.shop;

import io.millrace.client.CommandType;
import io.millrace.client.JsonForm;
import io.vertx.core.json.JsonObject;
import java.util.UUID;

/**
 * An order as a caller places it.
 *
 * @param cents 1 to {@value #CENTS_MAX}
 */
record Order(String customer, long cents) {
  static final long CENTS_MAX = 100_000_000;

  private static final String CUSTOMER = "customer";
  private static final String CENTS = "cents";
  private static final String ORDER = "order";

  static final JsonForm<Order> FORM = JsonForm.of(Order::toJson, Order::fromJson);

  /** The command that places it; the answer is the order's id. */
  static final CommandType<Order, UUID> PLACE =
      new CommandType<>(
          "place_order",
          FORM,
          JsonForm.of(
              id -> new JsonObject().put(ORDER, id.toString()),
              json -> UUID.fromString(json.getString(ORDER))));

  JsonObject toJson() {
    return new JsonObject().put(CUSTOMER, customer).put(CENTS, cents);
  }

  /**
   * Reads what {@link #toJson} wrote.
   *
   * @throws IllegalArgumentException naming the field, the limit and what was found
   */
  static Order fromJson(JsonObject json) {
    if (!(json.getValue(CUSTOMER) instanceof String customer) || customer.isBlank()) {
      throw new IllegalArgumentException(
          "customer must be a text, found '" + json.getValue(CUSTOMER) + "'");
    }
    if (!(json.getValue(CENTS) instanceof Number cents)
        || cents.longValue() < 1
        || cents.longValue() > CENTS_MAX) {
      throw new IllegalArgumentException(
          "cents must be 1 to " + CENTS_MAX + ", found '" + json.getValue(CENTS) + "'");
    }
    return new Order(customer, cents.longValue());
  }
}
