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

  /** The first is the one that the others are compared with. */
  static final List<SubjectSpec> PEERS =
      List.of(
          millrace("millrace", 200),
          millrace("millrace-1000", 1_000),
          table("classic", "ONE_TABLE", 200),
          table("classic", "ONE_TABLE", 2_000),
          table("hot-published", "HOT_PUBLISHED", 200),
          table("hot-published", "HOT_PUBLISHED", 2_000));

  SubjectSpec {
    options = Map.copyOf(options);
  }

  private static SubjectSpec millrace(String name, int batch) {
    return new SubjectSpec(
        name,
        "millrace",
        "millrace",
        "io.millrace.bench.millrace.MillraceMain",
        Map.of("batch", String.valueOf(batch), "nudge", "false"));
  }

  private static SubjectSpec table(String kind, String layout, int batch) {
    return new SubjectSpec(
        kind + "-" + batch,
        kind,
        "classic",
        "io.millrace.bench.classic.ClassicMain",
        Map.of("batch", String.valueOf(batch), "layout", layout));
  }

  /** The same with other settings. */
  SubjectSpec named(String other, Map<String, String> changed) {
    Map<String, String> all = new LinkedHashMap<>(options);
    all.putAll(changed);
    return new SubjectSpec(other, kind, module, mainClass, all);
  }
}
