package io.millrace.kubernetes;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The variables that Kubernetes would give to a container. */
final class NodeEnvironment {
  private static final Pattern REFERENCE = Pattern.compile("\\$\\(([A-Z_]+)\\)");

  /** For secrets that an operator makes: of the shape that the documentation asks for. */
  private static final Map<String, String> EXAMPLES =
      Map.of(
          "username", "somebody",
          "password", "something",
          "sasl.jaas.config", "a.Login required username=\"somebody\" password=\"something\";",
          "prometheus-token", "p".repeat(64),
          "operator-token", "o".repeat(64));

  private NodeEnvironment() {}

  static Map<String, String> of(Manifests manifests, Map<String, Object> container) {
    Map<String, String> environment = new HashMap<>();
    List<Map<String, Object>> variables = Manifests.list(container, "env");
    for (Map<String, Object> variable : variables) {
      String value =
          variable.containsKey("value")
              ? expanded(Manifests.text(variable, "value"), environment)
              : fromSecret(manifests, Manifests.map(variable, "valueFrom", "secretKeyRef"));
      environment.put(Manifests.text(variable, "name"), value);
    }
    return environment;
  }

  private static String fromSecret(Manifests manifests, Map<String, Object> reference) {
    String key = Manifests.text(reference, "key");
    return manifests
        .secret(Manifests.text(reference, "name"), key)
        .orElseGet(() -> EXAMPLES.get(key));
  }

  /** A name that stands further down in the list would stay as it is: so it does here. */
  private static String expanded(String value, Map<String, String> before) {
    return REFERENCE
        .matcher(value)
        .replaceAll(
            found -> Matcher.quoteReplacement(before.getOrDefault(found.group(1), found.group())));
  }
}
