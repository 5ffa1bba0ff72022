package io.millrace.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * What applications import has every module that they can depend on, in the version of this build.
 */
class BomTest {
  private static final Path ROOT = Path.of("..");
  private static final Set<String> NOT_FOR_APPLICATIONS =
      Set.of("modules/bench", "modules/bom", "modules/debezium/engine");
  private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");
  private static final Pattern ARTIFACT =
      Pattern.compile("<artifactId>(millrace-[^<]+)</artifactId>");
  private static final Pattern VERSION = Pattern.compile("<version>([^<$]+)</version>");

  @Test
  void it_has_every_module_but_examples_benchmarks_itself_and_a_program_of_tests()
      throws IOException {
    List<String> artifacts = new ArrayList<>();
    for (String module : found(MODULE, "pom.xml")) {
      if (!module.startsWith("examples/") && !NOT_FOR_APPLICATIONS.contains(module)) {
        artifacts.add(found(ARTIFACT, module + "/pom.xml").get(1));
      }
    }
    List<String> listed = found(ARTIFACT, "modules/bom/pom.xml");
    assertThat(listed.get(0)).isEqualTo("millrace-bom");
    assertThat(listed.subList(1, listed.size())).containsExactlyElementsOf(artifacts);
  }

  @Test
  void it_has_the_version_of_its_modules() throws IOException {
    String version = found(VERSION, "pom.xml").get(0);
    assertThat(found(VERSION, "modules/bom/pom.xml")).first().isEqualTo(version);
    assertThat(found(VERSION, "modules/bom/src/consumer/pom.xml")).contains(version);
  }

  private static List<String> found(Pattern pattern, String file) throws IOException {
    return pattern
        .matcher(Files.readString(ROOT.resolve(file)))
        .results()
        .map((MatchResult result) -> result.group(1))
        .toList();
  }
}
