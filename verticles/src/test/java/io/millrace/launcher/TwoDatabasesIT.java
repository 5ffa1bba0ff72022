package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.client.InboxConsumer;
import io.millrace.client.InboxContext;
import io.millrace.client.InboxMessage;
import io.millrace.core.config.MillraceConfig;
import io.millrace.devstack.DevStack;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * An application whose outbox and whose consumer live in two databases has two Millraces in its own
 * Vertx.
 */
@Tag("any-database")
class TwoDatabasesIT {
  private static final String TOPIC = "two-databases";

  @Test
  void what_is_appended_in_one_database_is_applied_once_in_the_other() throws Exception {
    DevStack stack = SharedStack.get();
    try (Stand shop = new Stand(stack);
        Stand billing = new Stand(stack)) {
      stack.kafka().createTopic(TOPIC, 2, Map.of());
      billing.sql(
          "create table bill (order_id text, revision bigint, payload text)",
          "create role biller login",
          "grant millrace_inbox to biller",
          "grant insert, select on bill to biller");
      Vertx vertx = Vertx.vertx();
      Millrace outbox =
          Stand.await(Millrace.in(vertx, MillraceConfig.from(shop.config(Map.of()))).start());
      Millrace inbox = Stand.await(consumer(vertx, billing));
      for (int i = 0; i < 20; i++) {
        shop.sql(Stand.append(TOPIC, "o-" + i, "{\"n\": " + i + "}"));
      }
      await()
          .atMost(Stand.LIMIT)
          .until(() -> billing.number("select count(distinct order_id) from bill") == 20);

      assertThat(billing.number("select count(*) from bill")).isEqualTo(20);
      assertThat(billing.number("select count(*) from millrace.inbox")).isEqualTo(20);
      assertThat(shop.number("select count(*) from millrace.inbox")).isZero();
      assertThat(billing.number("select count(*) from millrace.outbox")).isZero();
      Stand.await(inbox.stop());
      Stand.await(outbox.stop());
      Stand.await(vertx.close());
    }
  }

  /** As a role that may consume and no more: maintenance of its database runs elsewhere. */
  private static Future<Millrace> consumer(Vertx vertx, Stand billing) {
    Map<String, Object> own =
        Map.of(
            "database.user",
            "biller",
            "relay.enabled",
            false,
            "maintenance.enabled",
            false,
            "admin.enabled",
            false,
            "inbox.retention_check",
            "warn");
    return Millrace.in(vertx, MillraceConfig.from(billing.config(own)))
        .withConsumer(InboxConsumer.of("billing", List.of(TOPIC), TwoDatabasesIT::bill))
        .start();
  }

  private static Future<Void> bill(InboxMessage message, InboxContext context) {
    return context
        .connection()
        .preparedQuery("insert into bill values ($1, $2, $3)")
        .execute(
            Tuple.of(
                message.aggregateId().orElseThrow(),
                message.revision().isPresent() ? message.revision().getAsLong() : null,
                message.payloadText()))
        .mapEmpty();
  }
}
