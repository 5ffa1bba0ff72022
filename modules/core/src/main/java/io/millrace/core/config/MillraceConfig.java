package io.millrace.core.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The whole configuration, one component a section. An instance is valid: every value is within its
 * limits and every relation between values holds.
 */
public record MillraceConfig(
    SchemaConfig schema,
    NodeConfig node,
    DatabaseConfig database,
    KafkaConfig kafka,
    WriterConfig writer,
    RelayConfig relay,
    InboxConfig inbox,
    MaintenanceConfig maintenance,
    AdminConfig admin,
    SpatialConfig spatial,
    TracingConfig tracing,
    ClusterConfig cluster,
    ShutdownConfig shutdown) {

  /**
   * @throws ConfigException if a relation between two values does not hold
   */
  public MillraceConfig {
    Problems problems = new Problems();
    relate(problems, schema, node, relay, inbox, maintenance, shutdown);
    admin.relate(problems);
    cluster.relate(problems);
    problems.throwIfAny();
  }

  /** Every field at its default. */
  public static MillraceConfig defaults() {
    return from(Map.of());
  }

  /**
   * Makes a configuration from values by dotted key, the rest being defaults; for applications that
   * embed Millrace and have a configuration of their own.
   *
   * @param values {@code relay.batch_rows_max} with 500, for example; text is understood as in a
   *     file
   * @throws ConfigException with every problem: unknown keys, values outside their limits,
   *     relations that do not hold
   */
  public static MillraceConfig from(Map<String, ?> values) {
    ConfigReader reader = new ConfigReader(values);
    Sections sections = Sections.read(reader);
    reader.refuseUnknown();
    Problems problems = reader.collected();
    relate(
        problems,
        sections.schema,
        sections.node,
        sections.relay,
        sections.inbox,
        sections.maintenance,
        sections.shutdown);
    sections.admin.relate(problems);
    sections.cluster.relate(problems);
    problems.throwIfAny();
    return sections.whole();
  }

  /** Every key there is, in the order of the sections. */
  public static List<Key<?>> keys() {
    ConfigReader reader = new ConfigReader(Map.of());
    Sections.read(reader);
    return reader.keys();
  }

  /** The same configuration with another node id. */
  public MillraceConfig withNodeId(String id) {
    return new MillraceConfig(
        schema,
        node.withId(id),
        database,
        kafka,
        writer,
        relay,
        inbox,
        maintenance,
        admin,
        spatial,
        tracing,
        cluster,
        shutdown);
  }

  /** Every key with its effective value, in the order of the sections, secrets masked. */
  public Map<String, String> printable() {
    Map<String, String> printed = new LinkedHashMap<>();
    schema.printTo(printed);
    node.printTo(printed);
    database.printTo(printed);
    kafka.printTo(printed);
    writer.printTo(printed);
    relay.printTo(printed);
    inbox.printTo(printed);
    maintenance.printTo(printed);
    admin.printTo(printed);
    spatial.printTo(printed);
    tracing.printTo(printed);
    cluster.printTo(printed);
    shutdown.printTo(printed);
    return Collections.unmodifiableMap(printed);
  }

  private static void relate(
      Problems problems,
      SchemaConfig schema,
      NodeConfig node,
      RelayConfig relay,
      InboxConfig inbox,
      MaintenanceConfig maintenance,
      ShutdownConfig shutdown) {
    node.relate(problems);
    relay.relate(problems);
    inbox.relate(problems, schema);
    maintenance.relate(problems);
    shutdown.relate(problems, relay, inbox);
  }

  /** The sections before the relations between them are known to hold. */
  private record Sections(
      SchemaConfig schema,
      NodeConfig node,
      DatabaseConfig database,
      KafkaConfig kafka,
      WriterConfig writer,
      RelayConfig relay,
      InboxConfig inbox,
      MaintenanceConfig maintenance,
      AdminConfig admin,
      SpatialConfig spatial,
      TracingConfig tracing,
      ClusterConfig cluster,
      ShutdownConfig shutdown) {

    static Sections read(ConfigReader reader) {
      return new Sections(
          SchemaConfig.read(reader),
          NodeConfig.read(reader),
          DatabaseConfig.read(reader),
          KafkaConfig.read(reader),
          WriterConfig.read(reader),
          RelayConfig.read(reader),
          InboxConfig.read(reader),
          MaintenanceConfig.read(reader),
          AdminConfig.read(reader),
          SpatialConfig.read(reader),
          TracingConfig.read(reader),
          ClusterConfig.read(reader),
          ShutdownConfig.read(reader));
    }

    MillraceConfig whole() {
      return new MillraceConfig(
          schema,
          node,
          database,
          kafka,
          writer,
          relay,
          inbox,
          maintenance,
          admin,
          spatial,
          tracing,
          cluster,
          shutdown);
    }
  }
}
