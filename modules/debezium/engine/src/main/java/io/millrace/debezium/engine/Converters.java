package io.millrace.debezium.engine;

import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.storage.Converter;
import org.apache.kafka.connect.storage.HeaderConverter;

/**
 * What the connector's configuration says of converters, as a worker of Kafka Connect applies it.
 */
final class Converters {
  private final Converter keys;
  private final Converter values;
  private final HeaderConverter headers;

  private Converters(Converter keys, Converter values, HeaderConverter headers) {
    this.keys = keys;
    this.values = values;
    this.headers = headers;
  }

  /** Throws when the configuration names none, or one that the class path does not have. */
  static Converters of(Properties config) throws ReflectiveOperationException {
    Converter keys = (Converter) made(config, "key.converter");
    keys.configure(options(config, "key.converter"), true);
    Converter values = (Converter) made(config, "value.converter");
    values.configure(options(config, "value.converter"), false);
    HeaderConverter headers = (HeaderConverter) made(config, "header.converter");
    Map<String, String> headerOptions = options(config, "header.converter");
    headerOptions.put("converter.type", "header");
    headers.configure(headerOptions);
    return new Converters(keys, values, headers);
  }

  private static Object made(Properties config, String key) throws ReflectiveOperationException {
    return Class.forName(config.getProperty(key)).getConstructor().newInstance();
  }

  private static Map<String, String> options(Properties config, String key) {
    String prefix = key + ".";
    Map<String, String> options = new HashMap<>();
    for (String name : config.stringPropertyNames()) {
      if (name.startsWith(prefix)) {
        options.put(name.substring(prefix.length()), config.getProperty(name));
      }
    }
    return options;
  }

  ProducerRecord<byte[], byte[]> record(SourceRecord event) {
    String topic = event.topic();
    // No partition: the producer chooses it by the key, as a worker leaves it to.
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(
            topic,
            keys.fromConnectData(topic, event.keySchema(), event.key()),
            values.fromConnectData(topic, event.valueSchema(), event.value()));
    for (Header header : event.headers()) {
      record
          .headers()
          .add(
              header.key(),
              headers.fromConnectHeader(topic, header.key(), header.schema(), header.value()));
    }
    return record;
  }
}
