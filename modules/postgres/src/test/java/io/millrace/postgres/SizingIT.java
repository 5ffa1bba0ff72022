package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The formulas that operators are given for disk space, against tables that were filled. */
class SizingIT {
  private static final int ROWS = 20_000;

  @RegisterExtension final PgFixture pg = PgFixture.freshForEveryTest();

  /** Payloads that do not compress, ids and keys of usual length, no headers. */
  @ParameterizedTest
  @ValueSource(ints = {0, 100, 500, 1_000})
  void a_message_takes_its_payload_and_a_fixed_part(int payloadBytes) {
    pg.execute(
        """
        insert into millrace.outbox (aggregate_type, aggregate_id, topic, event_type, revision, payload)
        select 'order', 'order-' || (1000000 + n), 'orders', 'order.changed', n,
               substr((select string_agg(decode(md5(n || ':' || k), 'hex'), '')
                       from generate_series(1, 63) k), 1, %d)
        from generate_series(1, %d) n
        """
            .formatted(payloadBytes, ROWS));

    print("message of " + payloadBytes, bytesAMessage("outbox"));
    assertThat(bytesAMessage("outbox")).isCloseTo(190 + 1.05 * payloadBytes, withinPercentage(5));
  }

  @Test
  void a_receipt_takes_a_fixed_part() {
    pg.execute(
        """
        insert into millrace.receipt
          (shard, epoch, counter, seen, head, seq_before, message_count, first_id, last_id, node)
        select n %% 4, 1, n, '100000:100010:100003,100007', n, n, 200, n, n + 200, gen_random_uuid()
        from generate_series(10, %d) n
        """
            .formatted(ROWS));

    print("receipt", bytesAMessage("receipt"));
    assertThat(bytesAMessage("receipt")).isCloseTo(270.0, withinPercentage(5));
  }

  @Test
  void an_id_in_the_inbox_takes_a_fixed_part() {
    pg.execute(
        """
        insert into millrace.inbox (bucket, consumer, message_id)
        select (select max(bucket) from millrace.bucket where parent = 'inbox'), 'accounting', millrace.uuid_v7()
        from generate_series(1, %d) n
        """
            .formatted(ROWS));

    print("inbox id", bytesAMessage("inbox"));
    assertThat(bytesAMessage("inbox")).isCloseTo(135.0, withinPercentage(10));
  }

  private static void print(String what, double bytes) {
    System.out.printf("%s: %.0f bytes%n", what, bytes);
  }

  private double bytesAMessage(String parent) {
    return Double.parseDouble(
        pg.value(
            "select sum(pg_total_relation_size(inhrelid))::float / (select count(*) from millrace.%1$s) from pg_inherits where inhparent = 'millrace.%1$s'::regclass"
                .formatted(parent)));
  }
}
