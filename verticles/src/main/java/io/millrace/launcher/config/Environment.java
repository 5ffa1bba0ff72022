package io.millrace.launcher.config;

import io.millrace.core.config.Key;
import io.millrace.core.config.MillraceConfig;
import io.millrace.core.config.NearestName;
import io.millrace.core.config.Problem;
import io.millrace.core.config.TextMapKey;
import io.millrace.launcher.log.LogFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Picks Millrace's keys out of the environment: {@code MILLRACE_RELAY_BATCH_ROWS_MAX} gives {@code
 * relay.batch_rows_max}, {@code MILLRACE_KAFKA_PROPERTIES_LINGER_MS} gives {@code
 * kafka.properties.linger.ms}.
 */
final class Environment {

  /** Variables of the start script; they are no keys. */
  private static final Set<String> NO_KEYS =
      Set.of("MILLRACE_HOME", "MILLRACE_OPTS", "MILLRACE_CONFIG", LogFormat.VARIABLE);

  // Kubernetes sets these for every service whose name begins with "millrace".
  private static final Pattern SERVICE_LINK =
      Pattern.compile("MILLRACE_(?:.*_)?(?:SERVICE_HOST|(?:SERVICE_)?PORT(?:_.*)?)");

  private final Map<String, String> values = new TreeMap<>();
  private final Map<String, String> variables = new TreeMap<>();
  private final List<Problem> problems = new ArrayList<>();

  /**
   * @param environment all variables of the process; those without the prefix are left alone
   */
  Environment(Map<String, String> environment) {
    new TreeMap<>(environment)
        .forEach(
            (variable, value) -> {
              if (variable.startsWith(Key.ENVIRONMENT_PREFIX) && !NO_KEYS.contains(variable)) {
                take(variable, value);
              }
            });
    LogFormat.problem(environment).ifPresent(problems::add);
  }

  /** The values given, by dotted key. */
  Map<String, String> values() {
    return values;
  }

  /** A problem for each variable that is no key's. */
  List<Problem> problems() {
    return problems;
  }

  /** The same problem, saying which variable the value came from if it came from one. */
  Problem withOrigin(Problem problem) {
    String variable = variables.get(problem.key());
    return variable == null
        ? problem
        : new Problem(problem.key() + " (from " + variable + ")", problem.rule(), problem.found());
  }

  private void take(String variable, String value) {
    Optional<String> name =
        MillraceConfig.keys().stream().flatMap(key -> named(key, variable).stream()).findFirst();
    if (name.isPresent()) {
      values.put(name.get(), value);
      variables.put(name.get(), variable);
    } else {
      problems.add(unknown(variable));
    }
  }

  /** The dotted name that the variable means, if it means this key. */
  private static Optional<String> named(Key<?> key, String variable) {
    if (!(key instanceof TextMapKey)) {
      return variable.equals(key.environmentName()) ? Optional.of(key.name()) : Optional.empty();
    }
    String prefix = key.environmentName() + "_";
    if (!variable.startsWith(prefix) || variable.length() == prefix.length()) {
      return Optional.empty();
    }
    String entry = variable.substring(prefix.length()).toLowerCase(Locale.ROOT).replace('_', '.');
    return Optional.of(key.name() + "." + entry);
  }

  private static String pattern(Key<?> key) {
    return key.environmentName() + (key instanceof TextMapKey ? "_<NAME>" : "");
  }

  /** A map's own name wants only the name of an entry, however near another key may be. */
  private static Optional<String> nearest(String variable) {
    List<String> patterns = MillraceConfig.keys().stream().map(Environment::pattern).toList();
    return patterns.stream()
        .filter(pattern -> pattern.startsWith(variable + "_<"))
        .findFirst()
        .or(() -> NearestName.of(variable, patterns));
  }

  private static Problem unknown(String variable) {
    String hint =
        SERVICE_LINK.matcher(variable).matches()
            ? "; if Kubernetes set it, set enableServiceLinks: false in the pod"
            : nearest(variable).map(known -> "; the nearest is " + known).orElse("");
    return new Problem(variable, "is not a known variable" + hint, "a value (not shown)");
  }
}
