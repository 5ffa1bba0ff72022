package io.millrace.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("any-database")
class RequestGuardIT {
  private static AdminStand stand;

  private AdminNode node;

  @BeforeAll
  static void lay() throws Exception {
    stand = new AdminStand();
  }

  @AfterAll
  static void end() {
    stand.close();
  }

  @BeforeEach
  void deploy() {
    node = new AdminNode(stand);
  }

  @AfterEach
  void undeploy() {
    node.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/dashboard", "/partitions/0", "/favicon.ico", "/health"})
  void an_unknown_path_is_a_404_problem(String path) throws Exception {
    AdminNode.assertProblem(node.get(path), 404, "Not Found");
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"})
  void other_methods_are_refused_with_the_allowed_ones(String method) throws Exception {
    HttpResponse<String> answer =
        node.send(node.request("/partitions").method(method, BodyPublishers.noBody()).build());
    AdminNode.assertProblem(answer, 405, "Method Not Allowed");
    assertThat(answer.headers().firstValue("Allow")).contains("GET, HEAD");
  }

  @Test
  void head_answers_with_the_headers_of_get_alone() throws Exception {
    HttpResponse<String> answer =
        node.send(node.request("/shards").method("HEAD", BodyPublishers.noBody()).build());
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEmpty();
    assertThat(answer.headers().firstValueAsLong("Content-Length").orElseThrow()).isPositive();
  }

  @Test
  void a_body_is_refused_and_ends_the_connection() throws Exception {
    try (RawHttp raw = new RawHttp(node.port())) {
      raw.send("GET /partitions HTTP/1.1", "Host: localhost", "Content-Length: 5", "", "12345");
      assertThat(raw.answer()).startsWith("HTTP/1.1 413 ");
      assertThat(raw.isEnded()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "LocalHost:8720", "127.0.0.1:1", "127.9.9.9", "[::1]:8720"})
  void loopback_names_are_served(String host) throws Exception {
    try (RawHttp raw = new RawHttp(node.port())) {
      raw.send("GET /health/live HTTP/1.1", "Host: " + host);
      assertThat(raw.answer()).startsWith("HTTP/1.1 200 ");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Host: rebound.example.com",
        "Host: localhost.example.com:8720",
        "Host: 127.0.0.1.example.com",
        "Host: 10.0.0.7",
        "Host:"
      })
  void other_names_are_refused(String header) throws Exception {
    try (RawHttp raw = new RawHttp(node.port())) {
      raw.send("GET /partitions HTTP/1.1", header);
      assertThat(raw.answer()).startsWith("HTTP/1.1 421 ");
    }
  }

  @Test
  void a_request_without_a_host_is_malformed() throws Exception {
    try (RawHttp raw = new RawHttp(node.port())) {
      raw.send("GET /partitions HTTP/1.1", "X-Forwarded-Host: localhost");
      assertThat(raw.answer())
          .startsWith("HTTP/1.1 400 ")
          .contains("application/problem+json", "nosniff");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/partitions", "/health/live", "/metrics", "/nothing"})
  void every_answer_carries_the_security_headers(String path) throws Exception {
    HttpResponse<String> answer = node.get(path);
    assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
    assertThat(answer.headers().firstValue("Cache-Control")).contains("no-store");
    assertThat(answer.headers().firstValue("Content-Security-Policy"))
        .contains("default-src 'none'; frame-ancestors 'none'");
    assertThat(answer.headers().firstValue("Referrer-Policy")).contains("no-referrer");
    assertThat(answer.headers().firstValue("Cross-Origin-Resource-Policy")).contains("same-origin");
    assertThat(answer.headers().firstValue("Strict-Transport-Security")).isEmpty();
  }
}
