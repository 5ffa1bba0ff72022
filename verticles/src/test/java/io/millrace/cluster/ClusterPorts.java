package io.millrace.cluster;

import io.millrace.core.config.ClusterConfig;
import io.millrace.core.config.MillraceConfig;
import io.millrace.devstack.FreePorts;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Where one member listens on loopback. */
record ClusterPorts(int member, int eventBus) {
  /** As a node's, with what Hazelcast wants to see of the JDK. */
  static final List<String> JVM_OPTIONS =
      Stream.concat(
              Stream.of(
                  "-Xmx256m",
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "--add-modules=java.se",
                  "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
                  "--add-opens=java.base/java.lang=ALL-UNNAMED",
                  "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                  "--add-opens=java.management/sun.management=ALL-UNNAMED",
                  "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED"),
              Runtime.version().feature() >= 24
                  ? Stream.of("--sun-misc-unsafe-memory-access=allow")
                  : Stream.of())
          .toList();

  static ClusterPorts pick() {
    return new ClusterPorts(FreePorts.pick(), FreePorts.pick());
  }

  /** The section {@code cluster} of this one among these. */
  Map<String, Object> config(String name, List<ClusterPorts> all) {
    Map<String, Object> values = new HashMap<>();
    values.put("cluster.enabled", true);
    values.put("cluster.name", name);
    values.put("cluster.port", member);
    values.put("cluster.event_bus_port", eventBus);
    values.put(
        "cluster.members",
        all.stream().map(ports -> "127.0.0.1:" + ports.member()).collect(Collectors.joining(",")));
    return values;
  }

  ClusterConfig section(String name, List<ClusterPorts> all) {
    return MillraceConfig.from(config(name, all)).cluster();
  }
}
