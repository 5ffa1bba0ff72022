package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.millrace.client.InboxConsumer;
import io.millrace.client.InboxContext;
import io.millrace.client.InboxMessage;
import io.millrace.client.MessageRefused;
import io.millrace.devstack.DevStack;
import io.millrace.devstack.Promtool;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** What ships for Prometheus and Grafana asks for nothing that a node does not export. */
@Tag("any-database")
class MonitoringIT {
  private static final Path ROOT = Path.of("..");
  private static final Path ALERTS = ROOT.resolve("conf/prometheus/alerts.yml");
  private static final Path PAGES = ROOT.resolve("docs/operations/alerts");
  private static final Pattern SELECTOR = Pattern.compile("(millrace_[a-z_]+)(\\{[^}]*\\})?");
  private static final Pattern PAIR = Pattern.compile("([a-z_]+)=\"([^\"]*)\"");

  private static final DevStack stack = SharedStack.get();
  private static Stand stand;
  private static List<String> samples;

  @BeforeAll
  static void scrape() throws Exception {
    stand = new Stand(stack);
    String topic = "monitored-" + System.nanoTime();
    stack.kafka().createTopic(topic, 1, Map.of());
    AdminPages pages =
        stand
            .start(
                Map.of("inbox.retention_check", "warn"),
                builder ->
                    builder
                        .withMetrics(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT))
                        .withConsumer(
                            InboxConsumer.of("watcher", List.of(topic), MonitoringIT::handle)))
            .pages();
    stand.sql(Stand.append(topic, "o-1", "seen"), Stand.append(topic, "o-2", "bad"));
    await()
        .atMost(Stand.LIMIT)
        .until(
            () ->
                pages.metric("millrace_inbox_messages_total").stream()
                    .anyMatch(line -> line.contains("applied") && line.endsWith(" 1.0")));
    await()
        .atMost(Stand.LIMIT)
        .until(() -> !pages.metric("millrace_inbox_parked_messages").isEmpty());
    await().atMost(Stand.LIMIT).until(() -> !pages.metric("millrace_inbox_lag").isEmpty());
    samples = pages.metric("millrace_");
  }

  private static Future<Void> handle(InboxMessage message, InboxContext context) {
    return message.payloadText().equals("bad")
        ? Future.failedFuture(new MessageRefused("it is bad"))
        : Future.succeededFuture();
  }

  @AfterAll
  static void end() {
    stand.close();
  }

  @Test
  void every_series_that_an_alert_looks_at_is_exported() throws Exception {
    Set<String> missing = new TreeSet<>();
    for (Map<String, Object> rule : rules()) {
      missing.addAll(missing((String) rule.get("expr")));
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void every_series_that_the_dashboard_shows_is_exported() throws Exception {
    JsonObject dashboard =
        new JsonObject(Files.readString(ROOT.resolve("conf/grafana/millrace.json")));
    Set<String> missing = new TreeSet<>();
    int targets = 0;
    for (Object panel : dashboard.getJsonArray("panels")) {
      for (Object target : ((JsonObject) panel).getJsonArray("targets", new JsonArray())) {
        missing.addAll(missing(((JsonObject) target).getString("expr")));
        targets++;
      }
    }
    assertThat(missing).isEmpty();
    assertThat(targets).isGreaterThan(30);
  }

  /** Selectors to which no sample belongs. */
  private static Set<String> missing(String expression) {
    Set<String> missing = new TreeSet<>();
    Matcher selectors = SELECTOR.matcher(expression);
    while (selectors.find()) {
      String name = selectors.group(1);
      String labels = selectors.group(2) == null ? "" : selectors.group(2);
      List<String> pairs = PAIR.matcher(labels).results().map(pair -> pair.group()).toList();
      boolean isThere =
          samples.stream()
              .filter(line -> line.startsWith(name + "{") || line.startsWith(name + " "))
              .anyMatch(line -> pairs.stream().allMatch(line::contains));
      if (!isThere) {
        missing.add(selectors.group());
      }
    }
    return missing;
  }

  @Test
  void every_alert_has_a_severity_a_summary_and_its_page_and_every_page_an_alert()
      throws Exception {
    Set<String> names = new TreeSet<>();
    for (Map<String, Object> rule : rules()) {
      String name = (String) rule.get("alert");
      names.add(name);
      Map<?, ?> annotations = (Map<?, ?>) rule.get("annotations");
      assertThat(((Map<?, ?>) rule.get("labels")).get("severity")).isIn("critical", "warning");
      assertThat(annotations.get("summary")).as(name).isNotNull();
      assertThat(annotations.get("runbook")).isEqualTo("docs/operations/alerts/" + name + ".md");
      assertThat(Files.readString(PAGES.resolve(name + ".md")))
          .startsWith("# " + name + "\n")
          .contains("`" + rule.get("expr") + "`");
    }
    try (Stream<Path> pages = Files.list(PAGES)) {
      assertThat(pages.map(page -> page.getFileName().toString().replace(".md", "")))
          .containsExactlyInAnyOrderElementsOf(names);
    }
  }

  @Test
  void promtool_accepts_the_rules_and_sees_each_fire_and_none_where_all_is_well() throws Exception {
    promtool("check", "rules", "alerts.yml");
    promtool("test", "rules", "alerts_test.yml");
    String tests = Files.readString(ALERTS.resolveSibling("alerts_test.yml"));
    for (Map<String, Object> rule : rules()) {
      assertThat(tests).contains("ALERTS{alertname=\"%s\"".formatted(rule.get("alert")));
    }
  }

  private static void promtool(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(Promtool.program().toString()));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .directory(ALERTS.getParent().toFile())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor()).as(output).isZero();
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> rules() throws IOException {
    Map<String, Object> file = new Yaml().load(Files.readString(ALERTS));
    List<Map<String, Object>> groups = (List<Map<String, Object>>) file.get("groups");
    return (List<Map<String, Object>>) groups.get(0).get("rules");
  }
}
