package io.millrace.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.port.StorageStatus;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutboxAlarmTest {
  private final OutboxAlarm alarm = new OutboxAlarm("node", 60_000);

  @Test
  void transaction_ids_that_are_nearly_used_up_are_told_until_the_database_is_vacuumed() {
    alarm.look(aged(OutboxAlarm.TRANSACTION_AGE_MAX));
    assertThat(alarm.reasons()).isEmpty();

    alarm.look(aged(OutboxAlarm.TRANSACTION_AGE_MAX + 1));
    assertThat(alarm.reasons())
        .singleElement()
        .asString()
        .startsWith("the database's oldest transaction id is 1600000001 transactions old");

    alarm.look(aged(50_000_000));
    assertThat(alarm.reasons()).isEmpty();
  }

  private static StorageStatus aged(long transactions) {
    return new StorageStatus(transactions, List.of());
  }
}
