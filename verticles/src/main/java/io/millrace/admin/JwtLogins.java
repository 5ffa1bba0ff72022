package io.millrace.admin;

import io.millrace.core.config.AdminConfig;
import io.millrace.core.config.AdminRole;
import io.millrace.core.config.JwtAlgorithm;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.auth.JWTOptions;
import io.vertx.ext.auth.PubSecKeyOptions;
import io.vertx.ext.auth.User;
import io.vertx.ext.auth.authentication.TokenCredentials;
import io.vertx.ext.auth.jwt.JWTAuth;
import io.vertx.ext.auth.jwt.JWTAuthOptions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * JSON web tokens (RFC 7519). Only the configured algorithm, issuer and audience are accepted, and
 * only tokens that end: a token without {@code exp} could never be taken back.
 */
final class JwtLogins {
  /** How far the issuer's clock and this one's may be apart. */
  private static final int CLOCK_SECONDS_APART_MAX = 5;

  /** As long as the audit can say it. */
  private static final Pattern NAME = Pattern.compile("\\P{Cntrl}{1,200}");

  private final JWTAuth auth;
  private final String algorithm;
  private final String roleClaim;

  private JwtLogins(JWTAuth auth, AdminConfig config) {
    this.auth = auth;
    this.algorithm = config.jwtAlgorithm().name();
    this.roleClaim = config.jwtRoleClaim();
  }

  /** Reads the key files; the Future fails, naming it, if one cannot be used. */
  static Future<JwtLogins> open(Vertx vertx, AdminConfig config) {
    List<Future<PubSecKeyOptions>> keys = new ArrayList<>();
    if (config.jwtAlgorithm() == JwtAlgorithm.HS256) {
      keys.add(Future.succeededFuture(key(config, Buffer.buffer(config.jwtSecret().reveal()))));
    }
    for (String file : config.jwtKeyFileList()) {
      keys.add(
          vertx
              .fileSystem()
              .readFile(file)
              .map(pem -> key(config, pem))
              .recover(cause -> unusable(file, cause)));
    }
    return Future.all(keys).compose(all -> create(vertx, config, all.list()));
  }

  private static PubSecKeyOptions key(AdminConfig config, Buffer key) {
    return new PubSecKeyOptions().setAlgorithm(config.jwtAlgorithm().name()).setBuffer(key);
  }

  private static <T> Future<T> unusable(String files, Throwable cause) {
    return Future.failedFuture(
        new IllegalArgumentException("admin.jwt_key_files: cannot use " + files, cause));
  }

  private static Future<JwtLogins> create(
      Vertx vertx, AdminConfig config, List<PubSecKeyOptions> keys) {
    JWTAuthOptions options =
        new JWTAuthOptions()
            .setPubSecKeys(keys)
            .setJWTOptions(
                new JWTOptions()
                    .setAlgorithm(config.jwtAlgorithm().name())
                    .setIssuer(config.jwtIssuer())
                    .setAudience(List.of(config.jwtAudience()))
                    .setLeeway(CLOCK_SECONDS_APART_MAX));
    // Fails at once for a key that is none.
    return Future.succeededFuture()
        .map(now -> new JwtLogins(JWTAuth.create(vertx, options), config))
        .recover(cause -> unusable(config.jwtKeyFiles(), cause));
  }

  /** Who shows the token; fails for one that is not accepted. */
  Future<Caller> of(String token) {
    return Future.succeededFuture()
        .compose(now -> auth.authenticate(new TokenCredentials(token)))
        .map(this::caller);
  }

  private Caller caller(User user) {
    JsonObject token = user.attributes().getJsonObject("accessToken");
    String name = token.getValue("sub") instanceof String sub ? sub : "";
    if (!NAME.matcher(name).matches() || !(token.getValue("exp") instanceof Number)) {
      throw new IllegalArgumentException(
          algorithm + " token without exp, or without a sub of 1 to 200 characters");
    }
    return new Caller(name, role(claim(token, roleClaim)));
  }

  /** A claim of this whole name, else one inside another for each dot. */
  private static @Nullable Object claim(JsonObject claims, String name) {
    if (claims.containsKey(name)) {
      return claims.getValue(name);
    }
    int dot = name.indexOf('.');
    return dot > 0 && claims.getValue(name.substring(0, dot)) instanceof JsonObject inner
        ? claim(inner, name.substring(dot + 1))
        : null;
  }

  /** The highest of the roles that are named; others of the issuer's mean nothing here. */
  private static @Nullable AdminRole role(@Nullable Object found) {
    Collection<?> names =
        found instanceof JsonArray array
            ? array.getList()
            : found instanceof String text ? List.of(text.split(" ")) : List.of();
    AdminRole highest = null;
    for (AdminRole role : AdminRole.values()) {
      if (names.contains(role.name().toLowerCase(Locale.ROOT))) {
        highest = role;
      }
    }
    return highest;
  }
}
