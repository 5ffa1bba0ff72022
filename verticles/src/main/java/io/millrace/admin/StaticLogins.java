package io.millrace.admin;

import io.millrace.core.config.AdminRole;
import io.millrace.core.config.AdminToken;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The tokens of the configuration. Hashes are compared, in full and all of them, so that how long
 * an answer takes says nothing about a token; the tokens themselves are not kept.
 */
final class StaticLogins {
  private final List<Login> logins = new ArrayList<>();

  private static final class Login {
    private final byte[] hash;
    private final Caller caller;

    Login(byte[] hash, Caller caller) {
      this.hash = hash;
      this.caller = caller;
    }
  }

  /**
   * @param tokens {@code admin.tokens}
   */
  StaticLogins(Map<String, String> tokens) {
    tokens.forEach(
        (name, entry) -> {
          AdminToken token = AdminToken.parse(entry);
          AdminRole role = token.role();
          logins.add(new Login(hash(token.token().reveal()), new Caller(name, role)));
        });
  }

  Optional<Caller> of(String token) {
    byte[] shown = hash(token);
    Optional<Caller> found = Optional.empty();
    for (Login login : logins) {
      if (MessageDigest.isEqual(login.hash, shown)) {
        found = Optional.of(login.caller);
      }
    }
    return found;
  }

  boolean hasName(String name) {
    return logins.stream().anyMatch(login -> login.caller.name().equals(name));
  }

  private static byte[] hash(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
