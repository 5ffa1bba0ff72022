package io.millrace.debezium;

import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.transforms.Transformation;
import org.jspecify.annotations.Nullable;

/**
 * A transformation of Kafka Connect that stands before Debezium's {@code EventRouter}: on inserts
 * into {@code millrace.outbox} it gives the record the headers that Millrace's relay would, and
 * lets {@code message_key} be the aggregate id where a message has no key of its own, so that the
 * router finds the key there. Everything else passes as it is.
 *
 * <p>A message that names a resolver is an error, which stops the connector: its payload is not
 * what is to be published.
 */
public final class OutboxRecord<R extends ConnectRecord<R>> implements Transformation<R> {
  static final String SOURCE = "source";

  private static final String SCHEMA = "millrace";
  private static final String TABLE = "outbox";
  private static final ConfigDef CONFIG =
      new ConfigDef()
          .define(
              SOURCE,
              ConfigDef.Type.STRING,
              ConfigDef.NO_DEFAULT_VALUE,
              new ConfigDef.NonEmptyString(),
              ConfigDef.Importance.HIGH,
              "Header ce_source: as kafka.source in Millrace's configuration. Consumers take a message from another source"
                  + " for another message.");

  private String source = "";

  @Override
  public ConfigDef config() {
    return CONFIG;
  }

  @Override
  public void configure(Map<String, ?> values) {
    source = String.valueOf(CONFIG.parse(values).get(SOURCE));
  }

  @Override
  public R apply(R record) {
    Struct row = insertedRow(record);
    if (row == null) {
      return record;
    }
    String resolver = row.getString("resolver");
    if (resolver != null) {
      throw new DataException(
          "message "
              + row.getString("message_id")
              + " is to be filled by the resolver "
              + resolver
              + ", which only Millrace's relay does");
    }
    if (row.getString("message_key") == null) {
      row.put("message_key", row.getString("aggregate_id"));
    }
    OutboxHeaders.add(record.headers(), row, source);
    return record;
  }

  /** The row of an insert into the outbox; null: it is something else, a heartbeat for one. */
  private static @Nullable Struct insertedRow(ConnectRecord<?> record) {
    if (!(record.value() instanceof Struct change)
        || change.schema().field("op") == null
        || change.schema().field("source") == null) {
      return null;
    }
    Struct origin = change.getStruct("source");
    boolean isInsert = "c".equals(change.getString("op"));
    boolean isOutbox =
        SCHEMA.equals(origin.getString("schema")) && TABLE.equals(origin.getString("table"));
    return isInsert && isOutbox ? change.getStruct("after") : null;
  }

  @Override
  public void close() {
    // Holds nothing.
  }
}
