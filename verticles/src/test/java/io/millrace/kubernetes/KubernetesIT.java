package io.millrace.kubernetes;

import static io.millrace.kubernetes.Manifests.container;
import static io.millrace.kubernetes.Manifests.list;
import static io.millrace.kubernetes.Manifests.map;
import static io.millrace.kubernetes.Manifests.name;
import static io.millrace.kubernetes.Manifests.number;
import static io.millrace.kubernetes.Manifests.pod;
import static io.millrace.kubernetes.Manifests.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.ClusterConfig;
import io.millrace.core.config.MillraceConfig;
import io.millrace.devstack.KubernetesTools;
import io.millrace.devstack.NodeJs;
import io.millrace.launcher.config.ConfigLoader;
import io.vertx.core.json.JsonArray;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;

/** What k8s/ would bring into a cluster, as kustomize builds it. */
@Tag("any-database")
class KubernetesIT {
  private static final Path DOCUMENTATION = Path.of("../docs/operations/kubernetes.md");
  private static final Path ADAPTER =
      Manifests.FOLDER.resolve("components/autoscaling/prometheus-adapter.yaml");
  private static final String[] FOLDERS = {"base", "overlays/dev", "overlays/production"};
  private static final int CLOSING_MS = 5_000;

  private static List<Built> built;

  @TempDir Path directory;

  record Built(String folder, Manifests manifests) {
    @Override
    public String toString() {
      return folder;
    }

    Map<String, Object> nodes() {
      return manifests.one("Deployment");
    }

    Map<String, Object> migrate() {
      return manifests.one("Job");
    }
  }

  @BeforeAll
  static void build() throws Exception {
    built = new ArrayList<>();
    for (String folder : FOLDERS) {
      built.add(new Built(folder, Manifests.of(folder)));
    }
  }

  static Stream<Built> folders() {
    return built.stream();
  }

  private static Built production() {
    return built.get(2);
  }

  @ParameterizedTest
  @MethodSource("folders")
  void no_object_has_a_field_that_its_kind_has_not_or_a_value_of_another_type(Built it) {
    StrictModels models = new StrictModels();
    assertThat(it.manifests().all())
        .hasSizeGreaterThan(10)
        .allSatisfy(object -> assertThat(models.problem(object)).isEmpty());
  }

  @ParameterizedTest
  @MethodSource("folders")
  void every_object_has_what_its_kind_requires(Built it) throws Exception {
    Process node =
        NodeJs.find()
            .start(
                Path.of("src/test/resources/io/millrace/kubernetes/validate.mjs"),
                KubernetesTools.models().toString());
    try (OutputStream objects = node.getOutputStream()) {
      objects.write(new JsonArray(it.manifests().all()).encode().getBytes(StandardCharsets.UTF_8));
    }
    String problems = new String(node.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(problems).isEmpty();
    assertThat(node.waitFor()).isZero();
  }

  @ParameterizedTest
  @MethodSource("folders")
  void nodes_and_migration_take_the_configuration_that_they_are_given(Built it) throws Exception {
    MillraceConfig node = config(it, it.nodes());
    MillraceConfig migration = config(it, it.migrate());
    assertThat(node.admin().host()).as("where probes can reach it").isEqualTo("0.0.0.0");
    assertThat(node.admin().tokens()).containsOnlyKeys("prometheus", "operator");
    assertThat(migration.database().host()).isEqualTo(node.database().host());
    assertThat(migration.database().name()).isEqualTo(node.database().name());
    assertThat(migration.schema()).isEqualTo(node.schema());
  }

  private MillraceConfig config(Built it, Map<String, Object> workload) throws Exception {
    String mounted = text(volume(workload, "config"), "configMap", "name");
    Map<String, Object> map = it.manifests().named("ConfigMap", mounted).orElseThrow();
    Path file = directory.resolve("millrace.yaml");
    Files.writeString(file, text(map, "data", "millrace.yaml"));
    return ConfigLoader.load(
        Optional.of(file), NodeEnvironment.of(it.manifests(), container(workload)));
  }

  private static Map<String, Object> volume(Map<String, Object> workload, String name) {
    return list(pod(workload), "spec", "volumes").stream()
        .filter(volume -> volume.get("name").equals(name))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @MethodSource("folders")
  void a_node_is_killed_only_after_it_could_have_settled(Built it) throws Exception {
    long drainMs = config(it, it.nodes()).shutdown().drainTimeoutMs();
    assertThat(number(pod(it.nodes()), "spec", "terminationGracePeriodSeconds") * 1_000L)
        .isGreaterThan(drainMs + CLOSING_MS);
  }

  @ParameterizedTest
  @MethodSource("folders")
  void probes_and_services_meet_the_port_that_the_admin_api_listens_on(Built it) throws Exception {
    MillraceConfig config = config(it, it.nodes());
    int port = config.admin().port();
    Map<String, Object> container = container(it.nodes());
    assertThat(list(container, "ports")).contains(Map.of("name", "admin", "containerPort", port));
    for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
      assertThat(text(container, probe, "httpGet", "port")).isEqualTo("admin");
      assertThat(text(container, probe, "httpGet", "scheme"))
          .isEqualTo(config.admin().tlsCertificateFile().isEmpty() ? "HTTP" : "HTTPS");
    }
    Map<String, Object> service = it.manifests().named("Service", "millrace-admin").orElseThrow();
    assertThat(list(service, "spec", "ports"))
        .containsExactly(Map.of("name", "admin", "port", port, "targetPort", "admin"));
    Map<String, Object> monitoring =
        it.manifests().named("NetworkPolicy", "millrace-monitoring").orElseThrow();
    assertThat(list(list(monitoring, "spec", "ingress").get(0), "ports"))
        .containsExactly(Map.of("port", port, "protocol", "TCP"));
  }

  @ParameterizedTest
  @MethodSource("folders")
  void every_selector_meets_the_pods_that_it_is_meant_for(Built it) {
    Map<String, Object> node = map(pod(it.nodes()), "metadata", "labels");
    Map<String, Object> migrate = map(pod(it.migrate()), "metadata", "labels");
    assertThat(node).containsAllEntriesOf(map(it.nodes(), "spec", "selector", "matchLabels"));
    assertThat(migrate).isNotEqualTo(node);
    it.manifests()
        .ofKind("Service")
        .forEach(
            service -> assertThat(node).containsAllEntriesOf(map(service, "spec", "selector")));
    assertThat(node)
        .containsAllEntriesOf(
            map(it.manifests().one("PodDisruptionBudget"), "spec", "selector", "matchLabels"));
    for (Map<String, Object> spread : list(pod(it.nodes()), "spec", "topologySpreadConstraints")) {
      assertThat(node).containsAllEntriesOf(map(spread, "labelSelector", "matchLabels"));
    }
    it.manifests()
        .ofKind("NetworkPolicy")
        .forEach(
            policy ->
                assertThat(node)
                    .containsAllEntriesOf(map(policy, "spec", "podSelector", "matchLabels")));
    Map<String, Object> deny = it.manifests().named("NetworkPolicy", "millrace-deny").orElseThrow();
    assertThat(migrate).containsAllEntriesOf(map(deny, "spec", "podSelector", "matchLabels"));
  }

  @ParameterizedTest
  @MethodSource("folders")
  void no_container_has_more_rights_than_none(Built it) throws Exception {
    for (Map<String, Object> workload : List.of(it.nodes(), it.migrate())) {
      Map<String, Object> pod = map(pod(workload), "spec");
      Map<String, Object> security = map(container(workload), "securityContext");
      String user = text(pod, "securityContext", "runAsUser");
      assertThat(Files.readString(Path.of("pom.xml")))
          .contains("<user>" + user + ":" + user + "</user>");
      assertThat(text(pod, "securityContext", "runAsNonRoot")).isEqualTo("true");
      assertThat(text(pod, "securityContext", "seccompProfile", "type"))
          .isEqualTo("RuntimeDefault");
      assertThat(text(pod, "automountServiceAccountToken")).isEqualTo("false");
      assertThat(text(security, "readOnlyRootFilesystem")).isEqualTo("true");
      assertThat(text(security, "allowPrivilegeEscalation")).isEqualTo("false");
      assertThat(text(security, "capabilities", "drop")).isEqualTo("[ALL]");
      assertThat(text(container(workload), "resources", "limits", "memory"))
          .as("Java takes its share of it")
          .isEqualTo(text(container(workload), "resources", "requests", "memory"));
      assertThat(volume(workload, "tmp")).containsKey("emptyDir");
    }
  }

  @Test
  void nodes_find_each_other_by_the_service_that_leads_to_all_of_them_and_reach_its_ports()
      throws Exception {
    ClusterConfig cluster = config(production(), production().nodes()).cluster();
    assertThat(cluster.enabled()).isTrue();
    Map<String, Object> service =
        production().manifests().named("Service", cluster.kubernetesServiceDns()).orElseThrow();
    assertThat(text(service, "spec", "clusterIP")).as("headless").isEqualTo("None");
    assertThat(text(service, "spec", "publishNotReadyAddresses")).isEqualTo("true");
    Map<String, Object> policy =
        production().manifests().named("NetworkPolicy", "millrace-nodes").orElseThrow();
    Map<String, Integer> ports =
        Map.of("members", cluster.port(), "event-bus", cluster.eventBusPort());
    ports.forEach(
        (name, port) -> {
          assertThat(list(container(production().nodes()), "ports"))
              .contains(Map.of("name", name, "containerPort", port));
          assertThat(list(service, "spec", "ports"))
              .contains(Map.of("name", name, "port", port, "targetPort", name));
          for (String direction : List.of("ingress", "egress")) {
            assertThat(list(list(policy, "spec", direction).get(0), "ports"))
                .contains(Map.of("port", port, "protocol", "TCP"));
          }
        });
  }

  @Test
  void the_rules_for_the_operator_are_those_that_ship_for_prometheus() throws Exception {
    Map<String, Object> shipped =
        new Yaml().load(Files.readString(Path.of("../conf/prometheus/alerts.yml")));
    assertThat(map(production().manifests().one("PrometheusRule"), "spec")).isEqualTo(shipped);
  }

  @Test
  void prometheus_shows_the_token_that_nodes_expect_at_the_service_that_leads_to_them() {
    Map<String, Object> monitor = production().manifests().one("ServiceMonitor");
    Map<String, Object> service =
        production().manifests().named("Service", "millrace-admin").orElseThrow();
    assertThat(map(service, "metadata", "labels"))
        .containsAllEntriesOf(map(monitor, "spec", "selector", "matchLabels"));
    Map<String, Object> endpoint = list(monitor, "spec", "endpoints").get(0);
    Map<String, Object> token = map(endpoint, "authorization", "credentials");
    assertThat(list(container(production().nodes()), "env"))
        .contains(Map.of("name", "PROMETHEUS_TOKEN", "valueFrom", Map.of("secretKeyRef", token)));
    assertThat(text(endpoint, "tlsConfig", "serverName")).isEqualTo(name(service));
    assertThat(text(endpoint, "tlsConfig", "ca", "secret", "name"))
        .isEqualTo(text(volume(production().nodes(), "tls"), "secret", "secretName"));
  }

  @Test
  void the_autoscaler_asks_for_what_the_adapter_offers_and_never_for_more_nodes_than_shards()
      throws Exception {
    Map<String, Object> scaler =
        map(production().manifests().one("HorizontalPodAutoscaler"), "spec");
    Map<String, Object> adapter = new Yaml().load(Files.readString(ADAPTER));
    Map<String, Object> rule = list(adapter, "rules", "external").get(0);
    String metric = text(list(scaler, "metrics").get(0), "external", "metric", "name");
    assertThat(text(rule, "name", "as")).isEqualTo(metric);
    assertThat(text(rule, "seriesQuery")).startsWith(metric + "{");
    assertThat(Files.readString(Path.of("../conf/prometheus/alerts.yml")))
        .as("what alerts look at is exported")
        .contains("max(" + metric + ")");
    assertThat(text(scaler, "scaleTargetRef", "name")).isEqualTo(name(production().nodes()));
    assertThat(map(production().nodes(), "spec")).doesNotContainKey("replicas");
    assertThat(number(scaler, "maxReplicas"))
        .isLessThanOrEqualTo(config(production(), production().nodes()).schema().shardCount())
        .isGreaterThan(number(scaler, "minReplicas"));
  }

  @Test
  void every_secret_that_an_operator_has_to_make_is_described_with_its_keys() throws Exception {
    String text = Files.readString(DOCUMENTATION);
    Set<String> missing = new HashSet<>();
    for (Map<String, Object> workload : List.of(production().nodes(), production().migrate())) {
      for (Map<String, Object> variable : list(container(workload), "env")) {
        if (variable.containsKey("valueFrom")) {
          Map<String, Object> key = map(variable, "valueFrom", "secretKeyRef");
          missing.add("`%s` | `%s`".formatted(key.get("name"), key.get("key")));
        }
      }
    }
    String tls = text(volume(production().nodes(), "tls"), "secret", "secretName");
    for (String key : List.of("tls.crt", "tls.key", "ca.crt")) {
      missing.add("`%s` | `%s`".formatted(tls, key));
    }
    assertThat(missing).hasSizeGreaterThan(8).allMatch(text::contains);
  }

  @Test
  void every_object_is_described() throws Exception {
    String text = Files.readString(DOCUMENTATION);
    assertThat(production().manifests().all())
        .extracting(object -> "| " + object.get("kind") + " `" + plainName(object) + "` |")
        .allMatch(text::contains);
  }

  /** Without the hash of a configuration's content. */
  private static String plainName(Map<String, Object> object) {
    return object.get("kind").equals("ConfigMap")
        ? name(object).replaceFirst("-[a-z0-9]{10}$", "")
        : name(object);
  }
}
