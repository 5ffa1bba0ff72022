package io.millrace.example.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ReadmeTest {
  @Test
  void the_java_that_the_readme_shows_is_what_is_compiled() throws IOException {
    String readme = Files.readString(Path.of("../../README.md"));
    String compiled =
        Files.readString(Path.of("src/main/java/io/millrace/example/order/Embedding.java"));
    Matcher shown = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(readme);
    int blocks = 0;
    while (shown.find()) {
      blocks++;
      assertThat(compiled.indent(-2)).contains(shown.group(1).strip());
    }
    assertThat(blocks).isEqualTo(2);
  }
}
