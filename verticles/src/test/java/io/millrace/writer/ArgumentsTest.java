package io.millrace.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.CommandFailure;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigDecimal;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArgumentsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "{\"a\":1,\"b\":2}; {\"b\":2,\"a\":1}",
        "{\"a\":[{\"x\":1,\"y\":null}]}; {\"a\":[{\"y\":null,\"x\":1}]}",
        "{ \"a\" : \"\\u0041\" }; {\"a\":\"A\"}",
      })
  void the_same_values_are_the_same_arguments(String one, String other) {
    assertThat(Arguments.of(new JsonObject(one)).sha256())
        .isEqualTo(Arguments.of(new JsonObject(other)).sha256());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "{\"a\":1}; {\"a\":2}",
        "{\"a\":1}; {\"a\":\"1\"}",
        "{\"a\":[1,2]}; {\"a\":[2,1]}",
        "{\"a\":null}; {}",
        "{\"a\":{\"b\":1}}; {\"a\":{},\"b\":1}",
      })
  void other_values_are_other_arguments(String one, String other) {
    assertThat(Arguments.of(new JsonObject(one)).sha256())
        .isNotEqualTo(Arguments.of(new JsonObject(other)).sha256());
  }

  @Test
  void they_are_the_same_from_this_node_and_over_the_wire_from_another() {
    JsonObject here =
        new JsonObject()
            .put("decimal", new BigDecimal("1.10"))
            .put("time", Instant.EPOCH)
            .put("bytes", new byte[] {1})
            .put("float", 0.1f)
            .put("nested", new JsonArray().add(new JsonObject().put("long", 1L)));

    Arguments arguments = Arguments.of(here);
    Arguments wired = Arguments.of(new JsonObject(here.encode()));

    assertThat(arguments.sha256()).isEqualTo(wired.sha256());
    assertThat(arguments.json()).isEqualTo(wired.json());
  }

  @Test
  void arguments_nested_too_deep_are_refused() {
    assertThat(Arguments.of(nested(100)).json()).isEqualTo(nested(100));
    assertThatThrownBy(() -> Arguments.of(nested(101)))
        .isInstanceOf(CommandFailure.class)
        .hasMessage("arguments must nest at most 100 deep, found more");
  }

  private static JsonObject nested(int depth) {
    JsonObject json = new JsonObject();
    for (int i = 1; i < depth; i++) {
      json = new JsonObject().put("x", json);
    }
    return json;
  }
}
