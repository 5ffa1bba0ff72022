package io.millrace.admin;

import io.millrace.core.config.AdminConfig;
import io.millrace.core.config.AdminRole;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who may pass, and how often. Only the Authorization header says who one is: a browser sends it to
 * nobody by itself, which is what keeps pages of other origins from acting in their reader's name.
 * For one context.
 */
final class Gate {
  /** Wrong tokens that an address may show at once, and how many more in a minute. */
  static final int WRONG_TOKENS_MAX = 10;

  private static final Pattern BEARER =
      Pattern.compile("Bearer +([A-Za-z0-9._~+/=-]{1,8000}) *", Pattern.CASE_INSENSITIVE);
  private static final String CALLER = "millrace.caller";

  private static final Logger LOG = LoggerFactory.getLogger(Gate.class);

  private final AdminConfig config;
  private final Logins logins;
  private final Throttle requests;
  private final Throttle wrongTokens;

  Gate(AdminConfig config, Logins logins, LongSupplier nanos) {
    this.config = config;
    this.logins = logins;
    this.requests =
        new Throttle(config.requestsPerSecondMax(), config.requestsPerSecondMax(), nanos);
    this.wrongTokens =
        new Throttle(
            WRONG_TOKENS_MAX, (double) WRONG_TOKENS_MAX / TimeUnit.MINUTES.toSeconds(1), nanos);
  }

  /** The first handler of all: what holds whoever asks, for whatever. */
  void enter(RoutingContext context) {
    String address = address(context);
    if (RequestGuard.hidesItsLength(context)) {
      Answer refusal =
          Answer.problem(411, "Length Required", "a body is taken with a Content-Length alone");
      RequestGuard.endWith(context, refusal);
    } else if (!requests.take(address)) {
      tooMany(context, requests.secondsUntilNext(address), "requests of " + address);
    } else if (RequestGuard.isOfAnotherOrigin(context)) {
      Answer.problem(403, "Forbidden", "pages of other origins are not served").send(context);
    } else if (config.authenticates()) {
      context.next();
    } else {
      context.put(CALLER, Caller.LOCAL);
      RequestGuard.onlyLoopbackNames(context);
    }
  }

  /** For what anybody may ask: a token is not needed, but a wrong one is not passed over. */
  void open(RoutingContext context) {
    if (caller(context) == null && authorization(context) != null) {
      authenticate(context);
    } else {
      context.next();
    }
  }

  /** For what only those may ask who say who they are. */
  void known(RoutingContext context) {
    if (caller(context) != null) {
      context.next();
    } else if (authorization(context) == null) {
      unauthorized(context, "Bearer realm=\"millrace\"", "a bearer token is needed");
    } else {
      authenticate(context);
    }
  }

  /** For what needs a role; after {@link #known}. */
  Handler<RoutingContext> needs(AdminRole role) {
    return context -> {
      Caller caller = caller(context);
      if (caller != null && caller.may(role)) {
        context.next();
        return;
      }
      String needed = role.name().toLowerCase(Locale.ROOT);
      String detail =
          config.authenticates()
              ? "this needs the role " + needed
              : "this needs the role "
                  + needed
                  + ", and nobody has it without admin.tokens or"
                  + " admin.jwt_algorithm";
      Answer.problem(403, "Forbidden", detail).send(context);
    };
  }

  /** Who asks; null: he has not said. */
  static @Nullable Caller caller(RoutingContext context) {
    return context.get(CALLER);
  }

  private static @Nullable String authorization(RoutingContext context) {
    List<String> all = context.request().headers().getAll(HttpHeaders.AUTHORIZATION);
    // Which of several counts is for nobody to guess.
    return all.isEmpty() ? null : String.join(", ", all);
  }

  private void authenticate(RoutingContext context) {
    String address = address(context);
    if (!wrongTokens.hasLeft(address)) {
      tooMany(context, wrongTokens.secondsUntilNext(address), "wrong tokens of " + address);
      return;
    }
    Matcher bearer = BEARER.matcher(String.valueOf(authorization(context)));
    if (!bearer.matches()) {
      refuse(context, address);
      return;
    }
    context.request().pause();
    logins
        .of(bearer.group(1))
        .onComplete(
            caller -> {
              pass(context, caller);
              // Only now: what reads the body is in place.
              context.request().resume();
            },
            wrong -> {
              context.request().resume();
              LOG.debug("a token was refused", wrong);
              refuse(context, address);
            });
  }

  private void pass(RoutingContext context, Caller caller) {
    String name = "caller " + caller.name();
    if (!requests.take(name)) {
      tooMany(context, requests.secondsUntilNext(name), "requests of " + caller.name());
      return;
    }
    context.put(CALLER, caller);
    context.next();
  }

  private void refuse(RoutingContext context, String address) {
    wrongTokens.take(address);
    if (!wrongTokens.hasLeft(address)) {
      LOG.warn("{} has shown {} wrong tokens to the admin API", address, WRONG_TOKENS_MAX);
    }
    unauthorized(
        context,
        "Bearer realm=\"millrace\", error=\"invalid_token\"",
        "the Authorization header has no bearer token that is accepted");
  }

  private static void unauthorized(RoutingContext context, String challenge, String detail) {
    context.response().putHeader("WWW-Authenticate", challenge);
    Answer.problem(401, "Unauthorized", detail).send(context);
  }

  private static void tooMany(RoutingContext context, long seconds, String what) {
    context.response().putHeader("Retry-After", Long.toString(seconds));
    Answer.problem(429, "Too Many Requests", "too many " + what).send(context);
  }

  /**
   * Behind a proxy its own word, the last one: those before it are the caller's, who can say what
   * he likes.
   */
  private String address(RoutingContext context) {
    String forwarded =
        config.tlsTerminatedByProxy()
            ? String.join(",", context.request().headers().getAll("X-Forwarded-For"))
            : "";
    String last = forwarded.substring(forwarded.lastIndexOf(',') + 1).strip();
    return last.isEmpty() ? context.request().remoteAddress().hostAddress() : last;
  }
}
