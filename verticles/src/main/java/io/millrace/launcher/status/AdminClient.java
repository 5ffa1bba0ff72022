package io.millrace.launcher.status;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Asks the admin API of one node. Blocking, each question for at most 15 s. */
final class AdminClient {
  private static final Duration LIMIT = Duration.ofSeconds(15);

  private final HttpClient client;
  private final URI base;
  private final @Nullable String token;

  private AdminClient(HttpClient client, URI base, @Nullable String token) {
    this.client = client;
    this.base = base;
    this.token = token;
  }

  /**
   * @param base such as http://127.0.0.1:8720
   * @param token of a viewer; null: none is asked for there
   * @param authorities PEM file with who may have signed the node's certificate; null: the
   *     platform's own
   * @throws IllegalArgumentException if the address is none, or the file cannot be used
   */
  static AdminClient of(String base, @Nullable String token, @Nullable Path authorities) {
    URI uri = URI.create(base.endsWith("/") ? base.substring(0, base.length() - 1) : base);
    if (uri.getHost() == null
        || !("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
      throw new IllegalArgumentException("--url must be http://... or https://..., found " + base);
    }
    HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(LIMIT);
    if (authorities != null) {
      builder.sslContext(trusting(authorities));
    }
    return new AdminClient(builder.build(), uri, token);
  }

  private static SSLContext trusting(Path authorities) {
    try (InputStream pem = Files.newInputStream(authorities)) {
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      int number = 0;
      for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
        trusted.setCertificateEntry("authority-" + ++number, one);
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, factory.getTrustManagers(), null);
      return context;
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException(
          "--ca-file must be a PEM file of certificates, found " + authorities + ": " + e, e);
    }
  }

  /**
   * The answer to a GET; a node that is not ready answers too.
   *
   * @throws IOException if there is none, or it is a refusal
   */
  JsonObject get(String path) throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path)).timeout(LIMIT);
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    HttpResponse<String> answer;
    try {
      answer = client.send(request.build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new IOException(
          base + path + " does not answer" + (e.getMessage() == null ? "" : ": " + e.getMessage()),
          e);
    }
    JsonObject body = parse(path, answer.body());
    boolean isAnswer = answer.statusCode() == 200 || body.containsKey("ready");
    if (!isAnswer) {
      throw new IOException(
          "%s%s answers %d: %s"
              .formatted(base, path, answer.statusCode(), body.getString("detail", "")));
    }
    return body;
  }

  private JsonObject parse(String path, String text) throws IOException {
    try {
      return new JsonObject(text);
    } catch (DecodeException e) {
      throw new IOException(base + path + " answers something other than JSON", e);
    }
  }
}
