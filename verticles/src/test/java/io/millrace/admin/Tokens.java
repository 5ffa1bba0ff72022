package io.millrace.admin;

import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** What callers show, made without the library that the API checks it with. */
final class Tokens {
  static final String VIEWER = "viewer-token-of-bob-0123456789abcdef";
  static final String OPERATOR = "operator-token-of-ada-0123456789abcdef";
  static final String SECRET = "a secret that nobody else knows, 0123456789";
  static final String ISSUER = "https://issuer.example";
  static final String AUDIENCE = "millrace-admin";

  private Tokens() {}

  /** Bob may look, Ada may act. */
  static Map<String, Object> settings() {
    return new HashMap<>(
        Map.of(
            "admin.tokens.bob", "viewer:" + VIEWER,
            "admin.tokens.ada", "operator:" + OPERATOR));
  }

  /** JSON web tokens signed by {@link #SECRET}, as well. */
  static Map<String, Object> jwtSettings() {
    Map<String, Object> settings = settings();
    settings.put("admin.jwt_algorithm", "hs256");
    settings.put("admin.jwt_secret", SECRET);
    settings.put("admin.jwt_issuer", ISSUER);
    settings.put("admin.jwt_audience", AUDIENCE);
    return settings;
  }

  /** Claims that are accepted, of somebody with this role. */
  static JsonObject claims(String role) {
    long now = Instant.now().getEpochSecond();
    return new JsonObject()
        .put("iss", ISSUER)
        .put("aud", AUDIENCE)
        .put("sub", "grace")
        .put("iat", now)
        .put("exp", now + 600)
        .put("roles", role);
  }

  static String hmac(JsonObject claims, String secret) throws GeneralSecurityException {
    String unsigned = unsigned("HS256", claims);
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    return unsigned + "." + encode(mac.doFinal(unsigned.getBytes(StandardCharsets.US_ASCII)));
  }

  static String rsa(JsonObject claims, PrivateKey key) throws GeneralSecurityException {
    String unsigned = unsigned("RS256", claims);
    Signature signature = Signature.getInstance("SHA256withRSA");
    signature.initSign(key);
    signature.update(unsigned.getBytes(StandardCharsets.US_ASCII));
    return unsigned + "." + encode(signature.sign());
  }

  static String unsigned(String algorithm, JsonObject claims) {
    JsonObject header = new JsonObject().put("alg", algorithm).put("typ", "JWT");
    return encode(header.toBuffer().getBytes()) + "." + encode(claims.toBuffer().getBytes());
  }

  /** A public or private key or a certificate as PEM. */
  static String pem(String what, byte[] der) {
    String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return "-----BEGIN " + what + "-----\n" + base64 + "\n-----END " + what + "-----\n";
  }

  private static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
