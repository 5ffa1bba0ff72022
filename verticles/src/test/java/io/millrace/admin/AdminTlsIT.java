package io.millrace.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdminTlsIT {
  private static final String PASSWORD = "changeit";

  @TempDir static Path folder;

  private static AdminStand stand;
  private static AdminNode node;
  private static SSLContext trusting;

  @BeforeAll
  static void deploy() throws Exception {
    stand = new AdminStand();
    KeyStore keys = keys();
    Map<String, Object> settings = new HashMap<>(Tokens.settings());
    settings.put("admin.host", "0.0.0.0");
    settings.put("admin.tls_certificate_file", pem("CERTIFICATE", keys));
    settings.put("admin.tls_key_file", pem("PRIVATE KEY", keys));
    node = new AdminNode(stand, settings);
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    trusted.setCertificateEntry("admin", keys.getCertificate("admin"));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    trusting = SSLContext.getInstance("TLS");
    trusting.init(null, trust.getTrustManagers(), null);
  }

  @AfterAll
  static void end() {
    node.close();
    stand.close();
  }

  @Test
  void beyond_loopback_the_api_speaks_tls_and_tells_browsers_to_keep_to_it() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + node.port() + "/partitions"))
            .header("Authorization", "Bearer " + Tokens.VIEWER)
            .timeout(AdminNode.LIMIT)
            .build();
    HttpResponse<String> answer =
        HttpClient.newBuilder().sslContext(trusting).build().send(request, BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.sslSession().orElseThrow().getProtocol()).isEqualTo("TLSv1.3");
    assertThat(answer.headers().firstValue("Strict-Transport-Security"))
        .contains("max-age=31536000");
  }

  @Test
  void tls_older_than_1_2_is_not_spoken() throws Exception {
    assertThat(handshake("TLSv1.2")).isEqualTo("TLSv1.2");
    assertThatThrownBy(() -> handshake("TLSv1.1"))
        .isInstanceOfAny(SSLHandshakeException.class, SocketException.class);
  }

  @Test
  void whoever_speaks_no_tls_gets_no_answer() throws Exception {
    try (RawHttp raw = new RawHttp(node.port())) {
      raw.send("GET /health/live HTTP/1.1", "Host: localhost");
      assertThat(raw.rest()).doesNotContain("HTTP/1.1", "live");
    }
  }

  @Test
  void a_certificate_that_is_not_there_stops_the_start() {
    Map<String, Object> settings = new HashMap<>(Tokens.settings());
    settings.put("admin.port", 0);
    settings.put("admin.tls_certificate_file", "/nowhere/cert.pem");
    settings.put("admin.tls_key_file", "/nowhere/key.pem");
    AdminVerticle verticle = AdminNode.verticle(stand, settings, List.of(), () -> "");
    assertThatThrownBy(() -> AdminStand.await(stand.vertx.deployVerticle(verticle)))
        .hasStackTraceContaining("/nowhere/");
  }

  private static String handshake(String protocol) throws Exception {
    // The platform switches old versions off; here they are to be refused by the server.
    java.security.Security.setProperty("jdk.tls.disabledAlgorithms", "");
    try (Socket plain = new Socket("127.0.0.1", node.port());
        SSLSocket socket =
            (SSLSocket)
                trusting
                    .getSocketFactory()
                    .createSocket(plain, "127.0.0.1", node.port(), /* autoClose= */ true)) {
      socket.setEnabledProtocols(new String[] {protocol});
      socket.startHandshake();
      return socket.getSession().getProtocol();
    }
  }

  private static String pem(String what, KeyStore keys) throws Exception {
    byte[] der =
        what.equals("CERTIFICATE")
            ? keys.getCertificate("admin").getEncoded()
            : keys.getKey("admin", PASSWORD.toCharArray()).getEncoded();
    return Files.writeString(folder.resolve(what + ".pem"), Tokens.pem(what, der)).toString();
  }

  private static KeyStore keys() throws Exception {
    Path store = folder.resolve("keys.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "admin",
                "-keyalg",
                "RSA",
                "-keysize",
                "2048",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD)
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes());
    assertThat(keytool.waitFor()).as(said).isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return keys;
  }
}
