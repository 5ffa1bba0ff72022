package io.millrace.bench.harness;

import io.millrace.bench.spi.Payloads;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The command line. */
final class BenchOptions {
  static final List<String> SCENARIOS =
      List.of("relay", "latency", "cost", "held", "inbox", "takeover");

  private static final int QUICK_HELD_SECONDS = 10;
  private static final int QUICK_TAKEOVER_SECONDS = 10;
  private static final int TAKEOVER_SECONDS = 20;

  @Option(names = "--quick", description = "small counts, one round: shows that everything works")
  boolean quick;

  @Option(names = "--only", split = ",", description = "scenarios; default: all")
  List<String> only = SCENARIOS;

  @Option(
      names = "--peers",
      split = ",",
      description = {
        "of millrace, classic, hot-published, debezium, gruelbox and namastack, each with a batch behind it",
        "if wanted;",
        "default: ${DEFAULT-VALUE}"
      })
  List<String> peers = SubjectSpec.DEFAULTS;

  @Option(names = "--rounds", description = "of every measurement; default: 2")
  int rounds = 2;

  @Option(names = "--backlog", description = "messages a relay drains; default: 200000")
  int backlog = 200_000;

  @Option(
      names = "--warm-up-seconds",
      description = "how long a relay may run before a drain or latency is measured; default: 15")
  int warmUpSeconds = 15;

  @Option(names = "--drain-seconds", description = "then a drain is measured as far as it came")
  int drainSeconds = 20;

  @Option(names = "--busy-seconds", description = "how long a relay is measured beside writers")
  int busySeconds = 10;

  @Option(names = "--busy-rate", description = "transactions a second of these writers")
  int busyRate = 2_000;

  @Option(names = "--payloads", split = ",", description = "bytes; default: 200,1000,16000")
  List<Integer> payloads = List.of(200, 1_000, 16_000);

  @Option(
      names = "--rates",
      split = ",",
      description = "messages a second whose latency is measured; default: 100,1000,5000")
  List<Integer> rates = List.of(100, 1_000, 5_000);

  @Option(names = "--latency-seconds", description = "at each rate, after the warm-up")
  int latencySeconds = 6;

  @Option(names = "--cost-seconds", description = "of transactions with and without messages")
  int costSeconds = 10;

  @Option(
      names = "--hold-minutes",
      description = "how long somebody holds a transaction, three fifths of the measurement")
  int holdMinutes = 1;

  @Option(names = "--held-rate", description = "messages a second meanwhile; default: 1000")
  int heldRate = 1_000;

  @Option(names = "--inbox-records", description = "of the topic that is applied; default: 50000")
  int inboxRecords = 50_000;

  @Option(
      names = "--takeover-rate",
      description = "messages a second while a relay goes; default: 500")
  int takeoverRate = 500;

  @Option(names = "--heap", description = "of every subject's process; default: 256m")
  String heap = "256m";

  @Option(names = "--postgres", description = "18 or 15; default: 18")
  int postgres = 18;

  @Option(
      names = "--out",
      description = {
        "the report; default: docs/benchmarks.md,",
        "of a quick run modules/bench/harness/target/quick.md"
      })
  private @Nullable Path report;

  @Option(names = "--json", description = "the figures; default: ${DEFAULT-VALUE}")
  Path json = Path.of("modules", "bench", "harness", "target", "benchmarks.json");

  @Option(
      names = "--settle-seconds",
      description = "how long a relay may go on after what is measured, to be checked whole")
  int settleSeconds = 60;

  @Option(names = "--folder", hidden = true, description = "where the subjects were built")
  Path folder = Path.of("modules", "bench");

  /**
   * @throws BenchException naming the option, its limits and what was found
   */
  void check() {
    require(rounds >= 1 && rounds <= 100, "--rounds", "1 to 100", rounds);
    require(
        backlog >= Payloads.AGGREGATES && backlog <= 100_000_000,
        "--backlog",
        Payloads.AGGREGATES + " to 100000000",
        backlog);
    require(
        warmUpSeconds >= 1 && warmUpSeconds <= 3_600,
        "--warm-up-seconds",
        "1 to 3600",
        warmUpSeconds);
    require(
        drainSeconds >= 1 && drainSeconds <= 3_600, "--drain-seconds", "1 to 3600", drainSeconds);
    require(busySeconds >= 1 && busySeconds <= 3_600, "--busy-seconds", "1 to 3600", busySeconds);
    require(busyRate >= 1 && busyRate <= 100_000, "--busy-rate", "1 to 100000", busyRate);
    require(postgres == 15 || postgres == 18, "--postgres", "15 or 18", postgres);
    require(heap.matches("[1-9][0-9]{0,4}[mg]"), "--heap", "a number with m or g", heap);
    require(
        latencySeconds >= 1 && latencySeconds <= 3_600,
        "--latency-seconds",
        "1 to 3600",
        latencySeconds);
    require(
        settleSeconds >= 1 && settleSeconds <= 3_600,
        "--settle-seconds",
        "1 to 3600",
        settleSeconds);
    require(costSeconds >= 1 && costSeconds <= 3_600, "--cost-seconds", "1 to 3600", costSeconds);
    require(holdMinutes >= 1 && holdMinutes <= 600, "--hold-minutes", "1 to 600", holdMinutes);
    require(heldRate >= 1 && heldRate <= 100_000, "--held-rate", "1 to 100000", heldRate);
    require(
        inboxRecords >= 2_000 && inboxRecords <= 100_000_000,
        "--inbox-records",
        "2000 to 100000000",
        inboxRecords);
    require(
        takeoverRate >= 1 && takeoverRate <= 100_000,
        "--takeover-rate",
        "1 to 100000",
        takeoverRate);
    for (int rate : rates) {
      require(rate >= 1 && rate <= 100_000, "--rates", "1 to 100000", rate);
    }
    for (int bytes : payloads) {
      require(
          bytes >= Payloads.BYTES_MIN && bytes <= 900_000,
          "--payloads",
          Payloads.BYTES_MIN + " to 900000",
          bytes);
    }
    for (String name : only) {
      require(SCENARIOS.contains(name), "--only", String.join(", ", SCENARIOS), name);
    }
    subjects();
    require(
        Files.isDirectory(folder.resolve("limits").resolve("target")),
        "--folder",
        "a built modules/bench",
        folder);
    if (quick) {
      quicken();
    }
  }

  private void quicken() {
    rounds = 1;
    backlog = 20_000;
    settleSeconds = 300;
    warmUpSeconds = 2;
    drainSeconds = 10;
    busySeconds = 2;
    busyRate = 500;
    rates = List.of(100);
    latencySeconds = 2;
    costSeconds = 2;
    heldRate = 100;
    inboxRecords = 3_000;
    takeoverRate = 100;
    payloads = List.of(1_000);
  }

  /** Where the report goes. Figures of a quick run never take the place of measured ones. */
  Path out() {
    Path chosen = report;
    if (chosen != null) {
      return chosen;
    }
    return quick
        ? Path.of("modules", "bench", "harness", "target", "quick.md")
        : Path.of("docs", "benchmarks.md");
  }

  /** Of the whole measurement beside a held transaction. */
  int heldSeconds() {
    return quick ? QUICK_HELD_SECONDS : holdMinutes * 60 * 5 / 3;
  }

  /** Of the writers, before and after a relay goes. */
  int takeoverSeconds() {
    return quick ? QUICK_TAKEOVER_SECONDS : TAKEOVER_SECONDS;
  }

  /** Where a picture lies, from the report's folder. */
  String picture(String scenario, String metric) {
    String folder = String.valueOf(out().getFileName()).replaceFirst("[.]md$", "");
    return folder + "/" + scenario + "-" + metric + ".svg";
  }

  /** How long a relay may go on after what is measured. */
  long settleNanos() {
    return settleSeconds * 1_000_000_000L;
  }

  /** In the order given; the others are compared with the first. */
  List<SubjectSpec> subjects() {
    return peers.stream().map(SubjectSpec::peer).toList();
  }

  /** One of each kind: how a message is appended does not depend on the relay's batch. */
  List<SubjectSpec> kinds() {
    Map<String, SubjectSpec> kinds = new LinkedHashMap<>();
    subjects().forEach(spec -> kinds.putIfAbsent(spec.kind(), spec));
    return List.copyOf(kinds.values());
  }

  /** What a reader types to repeat the run. */
  String commandLine() {
    Stream<String> words =
        quick
            ? Stream.of("--quick", chosen())
            : Stream.of(
                chosen(),
                "--rounds " + rounds,
                "--backlog " + backlog,
                "--warm-up-seconds " + warmUpSeconds,
                "--drain-seconds " + drainSeconds,
                "--busy-seconds " + busySeconds,
                "--busy-rate " + busyRate,
                "--payloads "
                    + payloads.stream().map(String::valueOf).collect(Collectors.joining(",")),
                "--rates " + rates.stream().map(String::valueOf).collect(Collectors.joining(",")),
                "--latency-seconds " + latencySeconds,
                "--cost-seconds " + costSeconds,
                "--hold-minutes " + holdMinutes,
                "--held-rate " + heldRate,
                "--inbox-records " + inboxRecords,
                "--takeover-rate " + takeoverRate,
                "--heap " + heap,
                "--postgres " + postgres);
    return "./millrace bench " + words.collect(Collectors.joining(" "));
  }

  private String chosen() {
    return "--only " + String.join(",", only) + " --peers " + String.join(",", peers);
  }

  private static void require(boolean holds, String option, String limit, Object found) {
    if (!holds) {
      throw new BenchException("%s must be %s, found %s".formatted(option, limit, found));
    }
  }
}
