package io.millrace.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class HeaderTextPropertyTest {

  @Property
  void a_reader_of_array_literals_finds_the_same_names_and_values(
      @ForAll("headers") List<Header> headers) {
    List<String> texts = new ArrayList<>();
    headers.forEach(header -> texts.addAll(List.of(header.name(), header.value())));

    assertThat(elements(HeaderText.of(headers))).isEqualTo(texts);
  }

  @Provide
  Arbitrary<List<Header>> headers() {
    Arbitrary<String> texts =
        Arbitraries.oneOf(
            Arbitraries.strings().withChars("\"\\{}, \tNUL").ofMaxLength(8),
            Arbitraries.strings().ofMaxLength(8),
            Arbitraries.of("", "NULL", "null", "\\", "\"", "\\\"", "{}", " "));
    return Combinators.combine(texts, texts).as(Header::new).list().ofMinSize(1).ofMaxSize(20);
  }

  /** Reads a one-dimensional literal whose elements are all quoted, by the manual's rules. */
  private static List<String> elements(String literal) {
    assertThat(literal).startsWith("{\"").endsWith("\"}");
    List<String> elements = new ArrayList<>();
    int at = 1;
    while (at < literal.length() - 1) {
      StringBuilder element = new StringBuilder();
      assertThat(literal.charAt(at++)).isEqualTo('"');
      while (literal.charAt(at) != '"') {
        at += literal.charAt(at) == '\\' ? 1 : 0;
        element.append(literal.charAt(at++));
      }
      at++;
      elements.add(element.toString());
      assertThat(literal.charAt(at)).isEqualTo(at == literal.length() - 1 ? '}' : ',');
      at++;
    }
    return elements;
  }
}
