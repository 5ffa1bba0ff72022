package io.millrace.launcher.config;

import io.millrace.core.config.ConfigException;
import io.millrace.core.config.Problem;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.DuplicateKeyException;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * Reads a YAML file into a flat map of dotted keys. Values stay the text that was written, so that
 * a file and the environment are understood alike, and a password of digits keeps its leading zero.
 * Blocks on the file: for the start of the process, not for an event loop.
 */
final class ConfigFile {

  // A file with every key and its comments has about 15,000 characters.
  private static final int CHARACTERS_MAX = 1_000_000;

  private final Path file;
  private final Map<String, @Nullable Object> values = new TreeMap<>();
  private final List<Problem> problems = new ArrayList<>();

  private ConfigFile(Path file) {
    this.file = file;
  }

  /**
   * @return by dotted key the text written there, null where nothing is written
   * @throws ConfigException if the file cannot be read, is not YAML or gives a key twice
   */
  static Map<String, @Nullable Object> read(Path file) {
    ConfigFile read = new ConfigFile(file);
    Object root = read.parse();
    if (root instanceof Map<?, ?> sections) {
      read.flatten("", sections);
    } else if (root != null) {
      read.problem("must have sections with keys below them", "something else (not shown)");
    }
    if (!read.problems.isEmpty()) {
      throw new ConfigException(read.problems);
    }
    return read.values;
  }

  // The parser's own message is dropped: it quotes the line it failed on, which may be a password.
  private @Nullable Object parse() {
    try (Reader reader = Files.newBufferedReader(file)) {
      return yaml().load(reader);
    } catch (DuplicateKeyException e) {
      problem("must give each key once", "one twice" + position(e));
    } catch (MarkedYAMLException e) {
      problem("must be YAML (text with special characters in quotes)", "an error" + position(e));
    } catch (YAMLException e) {
      problem(
          "must be YAML in UTF-8 of at most " + CHARACTERS_MAX + " characters", "something else");
    } catch (IOException e) {
      problem("must be a file that can be read", e.getClass().getSimpleName());
    }
    return null;
  }

  private void flatten(String prefix, Map<?, ?> entries) {
    entries.forEach(
        (key, value) -> {
          String name = prefix + key;
          if (value instanceof Map<?, ?> below && !below.isEmpty()) {
            flatten(name + ".", below);
          } else if (values.containsKey(name)) {
            problems.add(new Problem(name, "must be given once", "it twice in " + file));
          } else {
            values.put(name, value);
          }
        });
  }

  private void problem(String rule, String found) {
    problems.add(new Problem("the file " + file, rule, found));
  }

  private static String position(MarkedYAMLException failure) {
    Mark mark = failure.getProblemMark();
    return mark == null
        ? ""
        : " in line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1);
  }

  private static Yaml yaml() {
    LoaderOptions options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    options.setCodePointLimit(CHARACTERS_MAX);
    // Nothing in a configuration needs them, and they can make a small file endless.
    options.setMaxAliasesForCollections(0);
    DumperOptions unused = new DumperOptions();
    return new Yaml(
        new SafeConstructor(options), new Representer(unused), unused, options, new TextResolver());
  }

  /** Takes every plain scalar for text, except for those that say that there is none. */
  private static final class TextResolver extends Resolver {
    @Override
    protected void addImplicitResolvers() {
      addImplicitResolver(Tag.NULL, NULL, "~nN\0");
      addImplicitResolver(Tag.NULL, EMPTY, null);
    }
  }
}
