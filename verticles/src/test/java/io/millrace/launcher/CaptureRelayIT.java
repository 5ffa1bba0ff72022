package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.devstack.DevStack;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** From a program that knows nothing of Millrace to a record. */
@Tag("any-database")
class CaptureRelayIT {
  private static final String TOPIC = "captured";

  private final DevStack stack = SharedStack.get();
  private Stand stand;

  @BeforeEach
  void lay() {
    stack.kafka().createTopic(TOPIC, 1, Map.of());
    stand = new Stand(stack);
  }

  @AfterEach
  void end() {
    stand.close();
  }

  @Test
  void a_change_that_another_program_makes_arrives_as_a_record() throws Exception {
    stand.sql(
        "create table public.stock (sku text primary key, pieces integer, version bigint)",
        "select millrace.capture('public.stock', '%s', 'stock', revision_column => 'version')"
            .formatted(TOPIC));
    stand.start(Map.of());

    stand.sql(
        "insert into public.stock values ('nut', 5, 1)",
        "update public.stock set pieces = 4, version = 2",
        "delete from public.stock");

    try (Arrivals arrivals = new Arrivals(stack.kafka().bootstrapServers(), TOPIC)) {
      List<ConsumerRecord<byte[], byte[]>> records = arrivals.await(3);
      assertThat(records).extracting(r -> Arrivals.text(r.key())).containsOnly("nut");
      assertThat(headers(records, "ce_type"))
          .containsExactly("stock.created", "stock.updated", "stock.deleted");
      assertThat(headers(records, "millrace_revision")).containsExactly("1", "2", "2");
      assertThat(Arrivals.texts(records).get(1))
          .isEqualTo(
              "{\"before\":{\"sku\":\"nut\",\"pieces\":5,\"version\":1},"
                  + "\"after\":{\"sku\":\"nut\",\"pieces\":4,\"version\":2}}");
    }
  }

  private static List<String> headers(List<ConsumerRecord<byte[], byte[]>> records, String name) {
    return records.stream().flatMap(r -> Arrivals.headers(r, name).stream()).toList();
  }
}
