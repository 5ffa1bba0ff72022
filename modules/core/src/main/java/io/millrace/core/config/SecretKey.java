package io.millrace.core.config;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A key whose value is never shown, not even when it is wrong. Its default is no secret. */
public record SecretKey(String name) implements Key<Secret> {

  @Override
  public Secret defaultValue() {
    return Secret.NONE;
  }

  @Override
  public String summary() {
    return "a secret text";
  }

  @Override
  public Optional<Secret> parse(Object found) {
    if (found instanceof Secret secret) {
      return Optional.of(secret);
    }
    return found instanceof String text ? Optional.of(Secret.of(text)) : Optional.empty();
  }

  @Override
  public boolean allows(Secret value) {
    return true;
  }

  @Override
  public String print(Secret value) {
    return value.toString();
  }

  @Override
  public String show(@Nullable Object found) {
    return found == null ? Problem.quote(null) : "something else (not shown)";
  }
}
