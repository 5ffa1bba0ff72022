package io.millrace.bench.harness;

import io.millrace.devstack.DevStack;
import io.millrace.devstack.DevStackSpec;
import io.millrace.devstack.KafkaServer;
import io.millrace.devstack.KafkaSpec;
import io.millrace.devstack.PostgresServer;
import io.millrace.devstack.PostgresSpec;
import java.io.IOException;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** One PostgreSQL and one Kafka for the whole run. */
final class Servers implements AutoCloseable {
  static final int TOPIC_PARTITIONS = 6;

  /** Beside fsync and synchronous_commit, which are on. */
  static final Map<String, String> POSTGRES_SETTINGS =
      Map.of(
          "shared_buffers", "1GB",
          "max_wal_size", "8GB",
          "checkpoint_timeout", "15min",
          "wal_level", "logical",
          "track_io_timing", "off");

  static final List<String> KAFKA_OPTIONS = List.of("-Xmx1g", "-XX:+UseG1GC");

  private final DevStack stack;
  private int sites;

  private Servers(DevStack stack) {
    this.stack = stack;
  }

  static Servers start(int postgresVersion) {
    PostgresSpec postgres = PostgresSpec.ofVersion(postgresVersion).withSettings(POSTGRES_SETTINGS);
    KafkaSpec kafka = KafkaSpec.defaults().withJvmOptions(KAFKA_OPTIONS);
    return new Servers(DevStack.start(new DevStackSpec(postgres, kafka)));
  }

  PostgresServer postgres() {
    return stack.postgres();
  }

  KafkaServer kafka() {
    return stack.kafka();
  }

  /** Makes an empty database and an empty topic. */
  Site site(String name) {
    String unique = name.replace('-', '_') + "_" + sites++;
    stack.postgres().createDatabase(unique);
    stack.kafka().createTopic(unique, TOPIC_PARTITIONS, Map.of());
    return new Site(this, unique, unique);
  }

  void remove(Site site) {
    Site maintenance = new Site(this, site.servers().postgres().user(), site.topic());
    // A peer that reads the log has left one, which would keep the database.
    maintenance.execute(
        "select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = '%s'"
            .formatted(site.database()));
    maintenance.execute("drop database " + site.database() + " with (force)");
    stack.kafka().deleteTopic(site.topic());
  }

  /** Versions and settings. */
  String describe() {
    return "PostgreSQL "
        + version()
        + ": fsync=on, synchronous_commit=on, "
        + new TreeMap<>(POSTGRES_SETTINGS).toString().replaceAll("[{}]", "")
        + "; Kafka "
        + kafkaVersion()
        + ": one broker, "
        + TOPIC_PARTITIONS
        + " topic partitions, "
        + String.join(" ", KAFKA_OPTIONS);
  }

  private String version() {
    try (Connection connection = new Site(this, postgres().user(), "").connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("show server_version")) {
      rows.next();
      return rows.getString(1);
    } catch (SQLException e) {
      throw new BenchException("the server does not tell its version", e);
    }
  }

  /** From the jar that the broker runs from. */
  private static String kafkaVersion() {
    Properties properties = new Properties();
    try (InputStream in = Servers.class.getResourceAsStream("/kafka/kafka-version.properties")) {
      if (in != null) {
        properties.load(in);
      }
    } catch (IOException e) {
      throw new BenchException("the broker's jar does not tell its version", e);
    }
    return properties.getProperty("version", "of unknown version");
  }

  @Override
  public void close() {
    stack.close();
  }
}
