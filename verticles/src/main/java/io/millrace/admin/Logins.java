package io.millrace.admin;

import io.millrace.core.config.AdminConfig;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Everything that can be shown to say who one is: static tokens and JSON web tokens. */
final class Logins {
  private final StaticLogins tokens;
  private final @Nullable JwtLogins jwt;

  private Logins(StaticLogins tokens, @Nullable JwtLogins jwt) {
    this.tokens = tokens;
    this.jwt = jwt;
  }

  /** Fails, naming it, if a key cannot be used. */
  static Future<Logins> open(Vertx vertx, AdminConfig config) {
    StaticLogins tokens = new StaticLogins(config.tokens());
    return config.acceptsJwt()
        ? JwtLogins.open(vertx, config).map(jwt -> new Logins(tokens, jwt))
        : Future.succeededFuture(new Logins(tokens, null));
  }

  /** Who shows the token; fails for one that nobody has. */
  Future<Caller> of(String token) {
    Optional<Caller> known = tokens.of(token);
    if (known.isPresent()) {
      return Future.succeededFuture(known.get());
    }
    return jwt == null
        ? Future.failedFuture(new IllegalArgumentException("nobody has this token"))
        : jwt.of(token).compose(this::withNameOfItsOwn);
  }

  /** The audit must not say of one person what another one did. */
  private Future<Caller> withNameOfItsOwn(Caller caller) {
    return tokens.hasName(caller.name())
        ? Future.failedFuture(
            new IllegalArgumentException("sub is a name of admin.tokens: " + caller.name()))
        : Future.succeededFuture(caller);
  }
}
