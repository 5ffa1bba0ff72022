package io.millrace.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuthenticationIT {
  private static AdminStand stand;

  @TempDir Path folder;

  private AdminNode node;

  @BeforeAll
  static void lay() {
    stand = new AdminStand();
  }

  @AfterAll
  static void end() {
    stand.close();
  }

  @AfterEach
  void undeploy() {
    if (node != null) {
      node.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/partitions", "/shards", "/inbox", "/replays", "/metrics", "/nothing"})
  void without_a_token_nothing_is_told_not_even_what_there_is(String path) throws Exception {
    node = new AdminNode(stand, Tokens.settings());
    HttpResponse<String> answer = node.get(path);
    AdminNode.assertProblem(answer, 401, "Unauthorized");
    assertThat(answer.headers().firstValue("WWW-Authenticate"))
        .contains("Bearer realm=\"millrace\"");
    assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
  }

  @Test
  void whoever_has_a_token_may_look() throws Exception {
    node = new AdminNode(stand, Tokens.settings());
    assertThat(get("/partitions", "Bearer " + Tokens.VIEWER).statusCode()).isEqualTo(200);
    assertThat(get("/metrics", "bearer " + Tokens.OPERATOR).statusCode()).isEqualTo(200);
    AdminNode.assertProblem(get("/nothing", "Bearer " + Tokens.VIEWER), 404, "Not Found");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Bearer viewer-token-of-bob-0123456789abcdeX",
        "Bearer viewer-token-of-bob-0123456789abcde",
        "Bearer viewer-token-of-bob-0123456789abcdef0",
        "Bearer viewer:viewer-token-of-bob-0123456789abcdef",
        "Bearer",
        "Bearer  ",
        "Basic Ym9iOnZpZXdlci10b2tlbi1vZi1ib2I=",
        "viewer-token-of-bob-0123456789abcdef",
        "Bearer viewer-token-of-bob-0123456789abcdef, Bearer x"
      })
  void anything_else_is_refused(String authorization) throws Exception {
    node = new AdminNode(stand, Tokens.settings());
    HttpResponse<String> answer = get("/partitions", authorization);
    AdminNode.assertProblem(answer, 401, "Unauthorized");
    assertThat(answer.headers().firstValue("WWW-Authenticate").orElseThrow())
        .contains("error=\"invalid_token\"");
    assertThat(answer.body()).doesNotContain("bob");
  }

  @Test
  void two_authorization_headers_are_none() throws Exception {
    node = new AdminNode(stand, Tokens.settings());
    try (RawHttp raw = new RawHttp(node.port())) {
      String header = "Authorization: Bearer " + Tokens.VIEWER;
      raw.send("GET /partitions HTTP/1.1", "Host: localhost", header, header);
      assertThat(raw.answer()).startsWith("HTTP/1.1 401 ");
    }
  }

  @Test
  void a_token_elsewhere_than_in_the_authorization_header_counts_for_nothing() throws Exception {
    node = new AdminNode(stand, Tokens.settings());
    assertThat(node.get("/shards?access_token=" + Tokens.OPERATOR).statusCode()).isEqualTo(401);
    try (RawHttp raw = new RawHttp(node.port())) {
      raw.send(
          "GET /partitions HTTP/1.1",
          "Host: localhost",
          "Cookie: access_token=" + Tokens.OPERATOR + "; Authorization=Bearer " + Tokens.OPERATOR);
      assertThat(raw.answer()).startsWith("HTTP/1.1 401 ");
    }
  }

  @Test
  void health_is_open_and_its_reasons_are_not() throws Exception {
    node = new AdminNode(stand, Tokens.settings());
    node.relayStatus.put("ready", false).put("reasons", new JsonArray().add("broker b1 is away"));
    assertThat(node.get("/health/live").statusCode()).isEqualTo(200);
    HttpResponse<String> unknown = node.get("/health/ready");
    assertThat(unknown.statusCode()).isEqualTo(503);
    assertThat(new JsonObject(unknown.body()).fieldNames()).containsExactly("ready");
    HttpResponse<String> known = get("/health/ready", "Bearer " + Tokens.VIEWER);
    assertThat(known.statusCode()).isEqualTo(503);
    assertThat(known.body()).contains("broker b1 is away");
    assertThat(get("/health/ready", "Bearer wrong").statusCode()).isEqualTo(401);
  }

  @Test
  void with_authentication_the_host_header_may_be_any() throws Exception {
    node = new AdminNode(stand, Tokens.settings());
    try (RawHttp raw = new RawHttp(node.port())) {
      raw.send(
          "GET /partitions HTTP/1.1",
          "Host: millrace.example",
          "Authorization: Bearer " + Tokens.VIEWER);
      assertThat(raw.answer()).startsWith("HTTP/1.1 200 ");
    }
  }

  @Test
  void a_json_web_token_of_the_issuer_is_accepted() throws Exception {
    node = new AdminNode(stand, Tokens.jwtSettings());
    assertThat(jwt(Tokens.claims("viewer"))).isEqualTo(200);
    assertThat(jwt(Tokens.claims("x").put("roles", new JsonArray().add("operator"))))
        .isEqualTo(200);
    assertThat(jwt(Tokens.claims("x").put("aud", new JsonArray().add("y").add(Tokens.AUDIENCE))))
        .isEqualTo(403);
    assertThat(get("/partitions", "Bearer " + Tokens.VIEWER).statusCode()).isEqualTo(200);
  }

  @Test
  void a_json_web_token_without_a_role_opens_nothing() throws Exception {
    node = new AdminNode(stand, Tokens.jwtSettings());
    for (Object roles : List.of("admin", "VIEWER", "viewers", 7, new JsonObject())) {
      assertThat(jwt(Tokens.claims("x").put("roles", roles))).isEqualTo(403);
    }
    JsonObject none = Tokens.claims("x");
    none.remove("roles");
    assertThat(jwt(none)).isEqualTo(403);
  }

  @Test
  void a_json_web_token_that_is_late_early_or_of_others_is_refused() throws Exception {
    node = new AdminNode(stand, Tokens.jwtSettings());
    long now = Tokens.claims("viewer").getLong("iat");
    assertThat(jwt(Tokens.claims("viewer").put("exp", now - 60))).isEqualTo(401);
    assertThat(jwt(Tokens.claims("viewer").put("nbf", now + 60))).isEqualTo(401);
    assertThat(jwt(Tokens.claims("viewer").put("iss", "https://issuer.example/"))).isEqualTo(401);
    assertThat(jwt(Tokens.claims("viewer").put("aud", "another"))).isEqualTo(401);
    for (String claim : List.of("exp", "iss", "aud", "sub")) {
      JsonObject claims = Tokens.claims("viewer");
      claims.remove(claim);
      assertThat(jwt(claims)).as("without " + claim).isEqualTo(401);
    }
  }

  @Test
  void a_json_web_token_cannot_take_the_name_of_a_static_token() throws Exception {
    node = new AdminNode(stand, Tokens.jwtSettings());
    assertThat(jwt(Tokens.claims("operator").put("sub", "ada"))).isEqualTo(401);
  }

  @Test
  void a_json_web_token_is_only_as_good_as_its_signature() throws Exception {
    node = new AdminNode(stand, Tokens.jwtSettings());
    JsonObject claims = Tokens.claims("operator");
    String good = Tokens.hmac(claims, Tokens.SECRET);
    String other = Tokens.hmac(Tokens.claims("operator").put("sub", "mallory"), Tokens.SECRET);
    for (String forged :
        List.of(
            Tokens.hmac(claims, "another secret, 0123456789abcdef"),
            Tokens.unsigned("none", claims) + ".",
            Tokens.unsigned("none", claims),
            Tokens.unsigned("HS256", claims) + ".",
            good.substring(0, good.lastIndexOf('.')) + other.substring(other.lastIndexOf('.')))) {
      assertThat(get("/shards", "Bearer " + forged).statusCode()).as(forged).isEqualTo(401);
    }
    assertThat(get("/shards", "Bearer " + good).statusCode()).isEqualTo(200);
  }

  @Test
  void a_public_key_is_no_secret_to_sign_with() throws Exception {
    KeyPair keys = KeyPairGenerator.getInstance("RSA").generateKeyPair();
    String pem = Tokens.pem("PUBLIC KEY", keys.getPublic().getEncoded());
    Path file = Files.writeString(folder.resolve("issuer.pem"), pem);
    Map<String, Object> settings = Tokens.jwtSettings();
    settings.remove("admin.jwt_secret");
    settings.put("admin.jwt_algorithm", "rs256");
    settings.put("admin.jwt_key_files", file.toString());
    settings.put("admin.jwt_role_claim", "realm_access.roles");
    node = new AdminNode(stand, settings);
    JsonArray roles = new JsonArray().add("offline").add("viewer");
    JsonObject claims =
        Tokens.claims("operator").put("realm_access", new JsonObject().put("roles", roles));
    String good = Tokens.rsa(claims, keys.getPrivate());
    assertThat(get("/shards", "Bearer " + good).statusCode()).isEqualTo(200);
    String confused = Tokens.hmac(claims, pem);
    assertThat(get("/shards", "Bearer " + confused).statusCode()).isEqualTo(401);
    String elsewhere =
        Tokens.rsa(claims, KeyPairGenerator.getInstance("RSA").generateKeyPair().getPrivate());
    assertThat(get("/shards", "Bearer " + elsewhere).statusCode()).isEqualTo(401);
  }

  @Test
  void a_key_file_that_cannot_be_used_stops_the_start_and_is_named() throws Exception {
    Path broken = Files.writeString(folder.resolve("broken.pem"), "no key");
    for (String file : List.of("/nowhere/issuer.pem", broken.toString())) {
      Map<String, Object> settings = Tokens.jwtSettings();
      settings.remove("admin.jwt_secret");
      settings.put("admin.jwt_algorithm", "es256");
      settings.put("admin.jwt_key_files", file);
      AdminVerticle verticle = AdminNode.verticle(stand, settings, List.of(), () -> "");
      assertThatThrownBy(() -> AdminStand.await(stand.vertx.deployVerticle(verticle)))
          .hasStackTraceContaining(file);
    }
  }

  @Test
  void wrong_tokens_are_counted_until_none_is_looked_at_any_more() throws Exception {
    node = new AdminNode(stand, Tokens.settings());
    for (int i = 0; i < Gate.WRONG_TOKENS_MAX; i++) {
      assertThat(get("/shards", "Bearer wrong" + i).statusCode()).isEqualTo(401);
    }
    HttpResponse<String> answer = get("/shards", "Bearer " + Tokens.OPERATOR);
    AdminNode.assertProblem(answer, 429, "Too Many Requests");
    assertThat(answer.headers().firstValueAsLong("Retry-After").orElseThrow()).isBetween(1L, 6L);
    assertThat(node.get("/health/live").statusCode()).isEqualTo(200);
  }

  @Test
  void an_address_that_asks_too_often_is_told_when_to_come_again() throws Exception {
    Map<String, Object> settings = Tokens.settings();
    settings.put("admin.requests_per_second_max", 1);
    node = new AdminNode(stand, settings);
    HttpResponse<String> answer = node.get("/health/live");
    for (int i = 0; i < 50 && answer.statusCode() == 200; i++) {
      answer = node.get("/health/live");
    }
    AdminNode.assertProblem(answer, 429, "Too Many Requests");
    assertThat(answer.headers().firstValue("Retry-After")).contains("1");
  }

  @Test
  void behind_a_proxy_callers_are_told_apart_by_its_word_and_not_by_theirs() throws Exception {
    Map<String, Object> settings = Tokens.settings();
    settings.put("admin.tls_terminated_by_proxy", true);
    node = new AdminNode(stand, settings);
    for (int i = 0; i <= Gate.WRONG_TOKENS_MAX; i++) {
      assertThat(forwarded("Bearer wrong", "10.0.0." + i + ", 198.51.100.7"))
          .startsWith(i < Gate.WRONG_TOKENS_MAX ? "HTTP/1.1 401 " : "HTTP/1.1 429 ");
    }
    assertThat(forwarded("Bearer " + Tokens.VIEWER, "198.51.100.7, 198.51.100.8"))
        .startsWith("HTTP/1.1 200 ")
        .containsIgnoringCase("strict-transport-security: max-age=31536000");
  }

  @ParameterizedTest
  @ValueSource(strings = {"https://evil.example", "null", "http://localhost:1", "file://"})
  void pages_of_other_origins_are_refused(String origin) throws Exception {
    node = new AdminNode(stand);
    try (RawHttp raw = new RawHttp(node.port())) {
      raw.send("GET /shards HTTP/1.1", "Host: localhost:" + node.port(), "Origin: " + origin);
      assertThat(raw.answer()).startsWith("HTTP/1.1 403 ");
      String own = "http://localhost:" + node.port();
      raw.send("GET /shards HTTP/1.1", "Host: localhost:" + node.port(), "Origin: " + own);
      assertThat(raw.answer()).startsWith("HTTP/1.1 200 ");
    }
  }

  private String forwarded(String authorization, String addresses) throws Exception {
    try (RawHttp raw = new RawHttp(node.port())) {
      raw.send(
          "GET /shards HTTP/1.1",
          "Host: millrace.example",
          "Authorization: " + authorization,
          "X-Forwarded-For: " + addresses);
      return raw.answer();
    }
  }

  private int jwt(JsonObject claims) throws Exception {
    return get("/shards", "Bearer " + Tokens.hmac(claims, Tokens.SECRET)).statusCode();
  }

  private HttpResponse<String> get(String path, String authorization) throws Exception {
    return node.send(node.request(path).header("Authorization", authorization).build());
  }
}
