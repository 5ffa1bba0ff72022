package io.millrace.bench.harness;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A subject with its settings.
 *
 * @param name in figures and on the command line
 * @param kind what differs from other subjects in more than the relay's settings
 * @param module its folder in modules/bench
 * @param options its own settings
 */
record SubjectSpec(
    String name, String kind, String module, String mainClass, Map<String, String> options) {

  static final SubjectSpec LIMITS =
      new SubjectSpec(
          "limits", "limits", "limits", "io.millrace.bench.limits.LimitsMain", Map.of());

  /** What can be chosen, each with the batch that it is documented with or comes with. */
  private static final Map<String, Integer> KINDS = kindsWithBatches();

  private static final int BATCH_MAX = 10_000;

  /** What is measured unless others are chosen: the usual batches, and the best of longer runs. */
  static final List<String> DEFAULTS =
      List.of("millrace", "classic-200", "classic-2000", "hot-published-2000", "debezium-8192");

  SubjectSpec {
    options = Map.copyOf(options);
  }

  private static Map<String, Integer> kindsWithBatches() {
    Map<String, Integer> kinds = new LinkedHashMap<>();
    kinds.put("millrace", 200);
    kinds.put("classic", 200);
    kinds.put("hot-published", 200);
    kinds.put("debezium", 2_048);
    kinds.put("gruelbox", 4_096);
    kinds.put("namastack", 1_000);
    return kinds;
  }

  /**
   * A peer by its kind, or by kind, hyphen and batch.
   *
   * @throws BenchException naming what there is
   */
  static SubjectSpec peer(String name) {
    for (Map.Entry<String, Integer> kind : KINDS.entrySet()) {
      if (name.equals(kind.getKey())) {
        return peer(name, kind.getKey(), kind.getValue());
      }
      if (name.matches(kind.getKey() + "-[1-9][0-9]{0,4}")) {
        int batch = Integer.parseInt(name.substring(kind.getKey().length() + 1));
        if (batch <= BATCH_MAX) {
          return peer(name, kind.getKey(), batch);
        }
      }
    }
    throw new BenchException(
        "--peers must be of %s, each with a batch of 1 to %d behind it if wanted, as in classic-500; found %s"
            .formatted(String.join(", ", KINDS.keySet()), BATCH_MAX, name));
  }

  private static SubjectSpec peer(String name, String kind, int batch) {
    String size = String.valueOf(batch);
    return switch (kind) {
      case "millrace" ->
          new SubjectSpec(
              name,
              kind,
              "millrace",
              "io.millrace.bench.millrace.MillraceMain",
              Map.of("batch", size, "nudge", "false"));
      case "debezium" ->
          new SubjectSpec(
              name,
              kind,
              "debezium",
              "io.millrace.bench.debezium.DebeziumMain",
              Map.of("batch", size));
      case "gruelbox" ->
          new SubjectSpec(
              name,
              kind,
              "gruelbox",
              "io.millrace.bench.gruelbox.GruelboxMain",
              Map.of("batch", size));
      case "namastack" ->
          new SubjectSpec(
              name,
              kind,
              "namastack",
              "io.millrace.bench.namastack.NamastackMain",
              Map.of("batch", size));
      default ->
          new SubjectSpec(
              name,
              kind,
              "classic",
              "io.millrace.bench.classic.ClassicMain",
              Map.of(
                  "batch", size, "layout", kind.equals("classic") ? "ONE_TABLE" : "HOT_PUBLISHED"));
    };
  }

  /** The same with other settings. */
  SubjectSpec named(String other, Map<String, String> changed) {
    Map<String, String> all = new LinkedHashMap<>(options);
    all.putAll(changed);
    return new SubjectSpec(other, kind, module, mainClass, all);
  }
}
