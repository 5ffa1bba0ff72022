package io.millrace.bench.classic;

import io.millrace.bench.spi.EffectTable;
import io.millrace.bench.spi.SubjectSettings;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** One consumer of the group on a thread of its own. */
final class PlainInbox implements Callable<Long> {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final String LOOK = "select 1 from inbox where message_id = ?";
  private static final String NOTE = "insert into inbox (message_id) values (?)";
  private static final String TRY = NOTE + " on conflict do nothing";

  private final SubjectSettings settings;
  private final boolean checksFirst;
  private volatile boolean ending;

  PlainInbox(SubjectSettings settings) {
    this.settings = settings;
    this.checksFirst = checksFirst(settings);
  }

  static boolean checksFirst(SubjectSettings settings) {
    return Boolean.parseBoolean(settings.text("check"));
  }

  /** Soon, after the batch that is being applied. */
  void end() {
    ending = true;
  }

  /** Messages applied. */
  @Override
  public Long call() throws SQLException {
    long applied = 0;
    try (Connection connection = settings.connect();
        PreparedStatement look = connection.prepareStatement(LOOK);
        PreparedStatement note = connection.prepareStatement(checksFirst ? NOTE : TRY);
        PreparedStatement effect = connection.prepareStatement(EffectTable.INSERT);
        KafkaConsumer<String, byte[]> consumer = consumer()) {
      connection.setAutoCommit(false);
      consumer.subscribe(List.of(settings.topic()));
      while (!ending) {
        ConsumerRecords<String, byte[]> records = consumer.poll(POLL);
        for (ConsumerRecord<String, byte[]> record : records) {
          applied += apply(record, look, note, effect) ? 1 : 0;
          connection.commit();
        }
        if (!records.isEmpty()) {
          consumer.commitSync();
        }
      }
    }
    return applied;
  }

  private boolean apply(
      ConsumerRecord<String, byte[]> record,
      PreparedStatement look,
      PreparedStatement note,
      PreparedStatement effect)
      throws SQLException {
    UUID id =
        UUID.fromString(
            new String(record.headers().lastHeader("ce_id").value(), StandardCharsets.UTF_8));
    if (checksFirst && isKnown(look, id)) {
      return false;
    }
    note.setObject(1, id);
    if (note.executeUpdate() == 0) {
      return false;
    }
    effect.setString(1, record.key());
    effect.setInt(2, record.value().length);
    effect.executeUpdate();
    return true;
  }

  private static boolean isKnown(PreparedStatement look, UUID id) throws SQLException {
    look.setObject(1, id);
    try (ResultSet rows = look.executeQuery()) {
      return rows.next();
    }
  }

  private KafkaConsumer<String, byte[]> consumer() {
    return new KafkaConsumer<>(
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            settings.bootstrapServers(),
            ConsumerConfig.GROUP_ID_CONFIG,
            "bench",
            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
            "earliest",
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
            false),
        new StringDeserializer(),
        new ByteArrayDeserializer());
  }
}
