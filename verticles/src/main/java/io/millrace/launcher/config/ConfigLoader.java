package io.millrace.launcher.config;

import io.millrace.core.config.ConfigException;
import io.millrace.core.config.MillraceConfig;
import io.millrace.core.config.Problem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Makes the configuration of this process: defaults, over them a file, over it the environment. */
public final class ConfigLoader {

  private ConfigLoader() {}

  /**
   * Reads everything and reports everything that is wrong with it at once. Blocks on the file.
   *
   * @param file a YAML file; empty for none
   * @param environment the variables of the process, such as {@link System#getenv()}
   * @throws ConfigException if the file or a variable cannot be used. Values are not looked at
   *     while the file cannot be read as a whole: with half of them, the relations would be wrong
   */
  public static MillraceConfig load(Optional<Path> file, Map<String, String> environment) {
    Environment variables = new Environment(environment);
    List<Problem> problems = new ArrayList<>();
    Map<String, @Nullable Object> values = new TreeMap<>();
    try {
      file.ifPresent(path -> values.putAll(ConfigFile.read(path)));
      values.putAll(variables.values());
      MillraceConfig config = MillraceConfig.from(values);
      if (variables.problems().isEmpty()) {
        return config;
      }
    } catch (ConfigException e) {
      e.problems().stream().map(variables::withOrigin).forEach(problems::add);
    }
    problems.addAll(variables.problems());
    throw new ConfigException(problems);
  }
}
