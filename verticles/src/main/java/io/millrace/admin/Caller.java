package io.millrace.admin;

import io.millrace.core.config.AdminRole;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Who asks.
 *
 * @param name who it is, as the audit will say it; 1 to 200 characters
 * @param role what he may do; null: nothing but what is open to everybody
 */
record Caller(String name, @Nullable AdminRole role) {
  /** Whoever reaches a loopback address of an API that asks for nothing: may look. */
  static final Caller LOCAL = new Caller("local", AdminRole.VIEWER);

  /** As the configuration calls it; null: none. */
  @Nullable String roleName() {
    return role == null ? null : role.name().toLowerCase(Locale.ROOT);
  }

  boolean may(AdminRole needed) {
    return role != null && role.covers(needed);
  }
}
