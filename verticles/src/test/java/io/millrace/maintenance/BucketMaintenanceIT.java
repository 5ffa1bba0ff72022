package io.millrace.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.devstack.DevStack;
import io.millrace.launcher.AdminPages;
import io.millrace.launcher.SharedStack;
import io.millrace.launcher.Stand;
import java.sql.Connection;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The buckets of a running installation are made and retired. */
class BucketMaintenanceIT {
  private static final String TODAY =
      "millrace.bucket_of((extract(epoch from now()) * 1000)::bigint)";
  private static final String FLOOR = "select floor from millrace.inbox_window";

  private static final DevStack stack = SharedStack.get();

  private Stand stand;

  @BeforeEach
  void prepare() {
    stand = new Stand(stack);
  }

  @AfterEach
  void end() {
    stand.close();
  }

  private static Map<String, Object> config(Map<String, ?> own) {
    Map<String, Object> values = new HashMap<>();
    values.put("relay.enabled", false);
    values.put("maintenance.interval_ms", 50);
    values.put("maintenance.receipt_age_max_ms", 100);
    values.putAll(own);
    return values;
  }

  private long today() throws Exception {
    return stand.number("select " + TODAY);
  }

  private long newest() throws Exception {
    return stand.number("select max(bucket) from millrace.bucket where state = 'ready'");
  }

  private long oldest() throws Exception {
    return stand.number("select min(bucket) from millrace.bucket");
  }

  @Test
  void buckets_are_made_as_far_ahead_and_kept_as_long_as_configured() throws Exception {
    long today = today();
    assertThat(stand.number(FLOOR)).as("as it was laid").isLessThan(today - 1);
    stand.start(config(Map.of("inbox.retention_days", 1, "inbox.buckets_ahead", 6)));

    await().atMost(Stand.LIMIT).until(this::newest, bucket -> bucket == today + 6);
    await().atMost(Stand.LIMIT).until(this::oldest, bucket -> bucket == today - 1);
    assertThat(stand.number(FLOOR)).isEqualTo(today - 1);
    await()
        .atMost(Stand.LIMIT)
        .until(
            () ->
                stand.number(
                        "select count(*) from pg_inherits where inhparent in"
                            + " ('millrace.inbox'::regclass, 'millrace.effect'::regclass)")
                    == 2 * 8);
  }

  @Test
  void lists_of_progress_are_turned_beside_those_of_receipts() throws Exception {
    stand.start(config(Map.of()));

    for (String sequence : new String[] {"progress_part", "receipt_part"}) {
      await()
          .atMost(Stand.LIMIT)
          .until(
              () ->
                  stand.number(
                          "select pg_sequence_last_value('millrace." + sequence + "'::regclass)")
                      > 0);
    }
  }

  @Test
  void a_bucket_that_is_missing_and_cannot_be_made_is_an_alarm_until_it_is_there()
      throws Exception {
    long tomorrow = today() + 1;
    stand.sql(
        "drop table millrace.inbox_" + tomorrow,
        "delete from millrace.bucket where parent = 'inbox' and bucket = " + tomorrow);
    try (Connection operator = stand.connect()) {
      operator.setAutoCommit(false);
      Stand.sql(operator, "lock table only millrace.inbox in share update exclusive mode");
      AdminPages pages = stand.start(config(Map.of())).pages();
      pages.awaitReason("buckets of the inbox are missing");
      operator.rollback();

      pages.awaitReady();
    }
    assertThat(
            stand.number(
                "select count(*) from millrace.bucket where parent = 'inbox' and state = 'ready'"
                    + " and bucket = "
                    + tomorrow))
        .isEqualTo(1);
  }

  @Test
  void a_retirement_that_is_postponed_for_more_than_a_day_is_an_alarm() throws Exception {
    long oldest = oldest();
    stand.sql(
        "update millrace.bucket set state = 'retiring', retiring_at = now() - interval '25 hours'"
            + " where parent = 'inbox' and bucket = "
            + oldest,
        "update millrace.inbox_window set floor = " + (oldest + 1));
    try (Connection open = stand.connect()) {
      open.setAutoCommit(false);
      Stand.sql(open, "lock table only millrace.inbox in row exclusive mode");
      AdminPages pages = stand.start(config(Map.of())).pages();

      pages.awaitReason("cannot be retired for more than a day: inbox " + oldest);
      open.rollback();

      pages.awaitReady();
    }
  }
}
