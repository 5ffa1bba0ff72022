package io.millrace.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdminConfigTest {
  private static final String TOKEN = "operator:" + "t".repeat(32);

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "127.255.0.9", "::1", "localhost"})
  void loopback_needs_no_authentication(String host) {
    assertThat(problems(Map.of("admin.host", host))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0.0.0.0",
        "::",
        "10.0.0.1",
        "127.0.0.256",
        "127.1",
        "127.0.0.1.example.org",
        "localhost.example.org"
      })
  void any_other_address_needs_authentication(String host) {
    assertThat(problems(Map.of("admin.host", host)))
        .singleElement()
        .asString()
        .contains("admin.host", "without admin.tokens and admin.jwt_algorithm");
  }

  @Test
  void beyond_loopback_tokens_do_not_travel_in_the_clear() {
    Map<String, Object> values = Map.of("admin.host", "0.0.0.0", "admin.tokens.ada", TOKEN);
    assertThat(problems(values)).singleElement().asString().contains("in the clear");
    assertThat(problems(with(values, Map.of("admin.tls_terminated_by_proxy", true)))).isEmpty();
    assertThat(
            problems(
                with(values, Map.of("admin.tls_certificate_file", "c", "admin.tls_key_file", "k"))))
        .isEmpty();
  }

  @Test
  void a_record_built_by_hand_tells_its_contradictions() {
    AdminConfig config = AdminConfig.read(new ConfigReader(Map.of("admin.host", "0.0.0.0")));
    assertThat(config.contradictions()).hasSize(1);
    assertThat(AdminConfig.defaults().contradictions()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"operator:short", "admin:tttttttttttttttttttttttttttttttt", "tt", "viewer:"})
  void a_token_that_is_short_or_of_no_role_is_refused_without_being_shown(String entry) {
    assertThat(problems(Map.of("admin.tokens.ada", entry)))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.key()).isEqualTo("admin.tokens.ada");
              assertThat(problem.rule()).contains("32 to 256");
              assertThat(problem.found()).isEqualTo(Secret.MASK);
            });
  }

  @Test
  void every_bad_token_is_reported_at_once() {
    assertThat(problems(Map.of("admin.tokens", Map.of("ada", "x", "bob", "y", "b b", TOKEN))))
        .extracting(Problem::key)
        .containsExactlyInAnyOrder("admin.tokens.ada", "admin.tokens.bob", "admin.tokens.b b");
  }

  @Test
  void two_names_never_share_a_token() {
    String asViewer = TOKEN.replace("operator", "viewer");
    assertThat(problems(Map.of("admin.tokens", Map.of("ada", TOKEN, "bob", asViewer))))
        .singleElement()
        .asString()
        .contains("of its own")
        .doesNotContain("tttt");
  }

  @Test
  void no_token_and_no_secret_is_ever_printed() {
    MillraceConfig config =
        MillraceConfig.from(
            Map.of(
                "admin.tokens.ada", TOKEN,
                "admin.jwt_algorithm", "hs256",
                "admin.jwt_secret", "s".repeat(32),
                "admin.jwt_issuer", "issuer",
                "admin.jwt_audience", "millrace"));
    assertThat(config.printable().toString() + config).doesNotContain("tttt", "ssss");
    assertThat(config.printable()).containsEntry("admin.tokens", "{ada=******}");
  }

  @Test
  void json_web_tokens_need_a_key_an_issuer_and_an_audience() {
    assertThat(problems(Map.of("admin.jwt_algorithm", "hs256")))
        .extracting(Problem::key)
        .containsExactlyInAnyOrder("admin.jwt_secret", "admin.jwt_issuer", "admin.jwt_audience");
    assertThat(problems(Map.of("admin.jwt_algorithm", "rs256")))
        .extracting(Problem::key)
        .containsExactlyInAnyOrder("admin.jwt_key_files", "admin.jwt_issuer", "admin.jwt_audience");
  }

  @Test
  void a_key_that_would_do_nothing_is_refused() {
    assertThat(problems(Map.of("admin.jwt_secret", "s".repeat(40), "admin.jwt_key_files", "k.pem")))
        .extracting(Problem::key)
        .containsExactlyInAnyOrder("admin.jwt_secret", "admin.jwt_key_files");
    assertThat(problems(Map.of("admin.tls_certificate_file", "c.pem")))
        .extracting(Problem::key)
        .containsExactly("admin.tls_key_file");
  }

  @Test
  void an_operator_may_what_a_viewer_may_and_not_the_other_way_round() {
    assertThat(AdminRole.OPERATOR.covers(AdminRole.VIEWER)).isTrue();
    assertThat(AdminRole.VIEWER.covers(AdminRole.OPERATOR)).isFalse();
    assertThat(AdminToken.parse(TOKEN).role()).isEqualTo(AdminRole.OPERATOR);
    assertThatThrownBy(() -> AdminToken.parse("nothing of the form"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("nothing");
  }

  private static List<Problem> problems(Map<String, ?> values) {
    try {
      MillraceConfig.from(values);
      return List.of();
    } catch (ConfigException e) {
      return e.problems();
    }
  }

  private static Map<String, Object> with(Map<String, ?> values, Map<String, ?> more) {
    Map<String, Object> all = new HashMap<>(values);
    all.putAll(more);
    return all;
  }
}
