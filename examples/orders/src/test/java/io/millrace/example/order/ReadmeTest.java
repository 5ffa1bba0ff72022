package io.millrace.example.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ReadmeTest {
  @Test
  void the_java_that_the_readme_shows_is_what_is_compiled() throws IOException {
    String readme = Files.readString(Path.of("../../README.md"));
    int from = readme.indexOf("```java\n") + "```java\n".length();
    String shown = readme.substring(from, readme.indexOf("```", from));
    String compiled =
        Files.readString(Path.of("src/main/java/io/millrace/example/order/Embedding.java"));
    String body = compiled.substring(compiled.indexOf("  static Future<Millrace> start"));
    assertThat(body.indent(-2).strip()).startsWith(shown.strip());
  }
}
