package io.millrace.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.devstack.KubernetesTools;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.yaml.snakeyaml.Yaml;

/**
 * What {@code kubectl apply -k} would send for one folder of k8s/: plain objects, as read from
 * YAML.
 */
final class Manifests {
  static final Path FOLDER = Path.of("..", "k8s");

  private final List<Map<String, Object>> objects;

  private Manifests(List<Map<String, Object>> objects) {
    this.objects = objects;
  }

  /** Builds a folder with kustomize. */
  static Manifests of(String folder) throws IOException, InterruptedException {
    Path errors = Files.createTempFile("kustomize", ".log");
    try {
      Process process =
          new ProcessBuilder(
                  KubernetesTools.kubectl().toString(),
                  "kustomize",
                  FOLDER.resolve(folder).toString())
              .redirectError(errors.toFile())
              .start();
      String yaml = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(Files.readString(errors)).isZero();
      assertThat(Files.readString(errors)).as("warnings of kustomize").isEmpty();
      return new Manifests(parse(yaml));
    } finally {
      Files.delete(errors);
    }
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> parse(String yaml) {
    return StreamSupport.stream(new Yaml().loadAll(yaml).spliterator(), false)
        .map(object -> (Map<String, Object>) object)
        .toList();
  }

  List<Map<String, Object>> all() {
    return objects;
  }

  Stream<Map<String, Object>> ofKind(String kind) {
    return objects.stream().filter(object -> object.get("kind").equals(kind));
  }

  Map<String, Object> one(String kind) {
    List<Map<String, Object>> found = ofKind(kind).toList();
    assertThat(found).as(kind).hasSize(1);
    return found.get(0);
  }

  Optional<Map<String, Object>> named(String kind, String name) {
    return ofKind(kind).filter(object -> name(object).equals(name)).findFirst();
  }

  static String name(Map<String, Object> object) {
    return text(object, "metadata", "name");
  }

  /** Whom a Deployment or a Job starts. */
  static Map<String, Object> pod(Map<String, Object> workload) {
    return map(workload, "spec", "template");
  }

  static Map<String, Object> container(Map<String, Object> workload) {
    List<Map<String, Object>> containers = list(pod(workload), "spec", "containers");
    assertThat(containers).hasSize(1);
    return containers.get(0);
  }

  /** What a secret of the manifests holds under a key, where it is one of them. */
  Optional<String> secret(String name, String key) {
    return named("Secret", name)
        .map(secret -> text(secret, "data", key))
        .map(coded -> new String(Base64.getDecoder().decode(coded), StandardCharsets.UTF_8));
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> map(Map<String, Object> from, String... path) {
    return (Map<String, Object>) value(from, path);
  }

  @SuppressWarnings("unchecked")
  static List<Map<String, Object>> list(Map<String, Object> from, String... path) {
    return (List<Map<String, Object>>) value(from, path);
  }

  static String text(Map<String, Object> from, String... path) {
    return String.valueOf(value(from, path));
  }

  static int number(Map<String, Object> from, String... path) {
    return (Integer) value(from, path);
  }

  /** What lies at the end of a path of keys. */
  static Object value(Map<String, Object> from, String... path) {
    Object found = from;
    for (String key : path) {
      found = ((Map<?, ?>) found).get(key);
      assertThat(found).as(String.join(".", path)).isNotNull();
    }
    return found;
  }
}
