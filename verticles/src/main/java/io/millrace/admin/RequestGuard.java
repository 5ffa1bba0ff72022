package io.millrace.admin;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;
import java.util.regex.Pattern;

/** What every request has to be like, and what every answer carries. */
final class RequestGuard {
  private static final Pattern LOOPBACK_NAME =
      Pattern.compile("localhost|127(\\.[0-9]{1,3}){3}|\\[?::1]?", Pattern.CASE_INSENSITIVE);

  private static final Pattern JSON =
      Pattern.compile(
          "application/json *(; *charset *= *\"?utf-8\"? *)?", Pattern.CASE_INSENSITIVE);

  private RequestGuard() {}

  /**
   * Nothing here is a page to be run, framed, guessed at or kept.
   *
   * @param isTls whether clients speak TLS, and are never to come without it again
   */
  static void secureAnswer(HttpServerResponse response, boolean isTls) {
    response
        .putHeader("X-Content-Type-Options", "nosniff")
        .putHeader("Cache-Control", "no-store")
        .putHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
        .putHeader("Referrer-Policy", "no-referrer")
        .putHeader("Cross-Origin-Resource-Policy", "same-origin");
    if (isTls) {
      response.putHeader("Strict-Transport-Security", "max-age=31536000");
    }
  }

  /**
   * Whether a page of another host asks. What has no Origin header was not asked for by a page that
   * could read the answer. The scheme is not compared: behind a proxy it is another one here.
   */
  static boolean isOfAnotherOrigin(RoutingContext context) {
    String origin = context.request().getHeader(HttpHeaders.ORIGIN);
    HostAndPort authority = context.request().authority();
    if (origin == null) {
      return isEmbeddedElsewhere(context.request());
    }
    if (authority == null) {
      return true;
    }
    String host = authority.host() + (authority.port() > 0 ? ":" + authority.port() : "");
    return !origin.equalsIgnoreCase("http://" + host)
        && !origin.equalsIgnoreCase("https://" + host);
  }

  /**
   * A picture or a frame of another site's page can read nothing, but would hold what is scarce: a
   * stream of events, for one. Browsers say so; a link that is followed is as good as an address
   * that is typed.
   */
  private static boolean isEmbeddedElsewhere(HttpServerRequest request) {
    String site = request.getHeader("Sec-Fetch-Site");
    return site != null
        && !site.equals("same-origin")
        && !site.equals("none")
        && !"document".equals(request.getHeader("Sec-Fetch-Dest"));
  }

  /**
   * A page of another origin can make its own name resolve to 127.0.0.1 and then read the answers
   * as its own (DNS rebinding); its requests still carry that name.
   */
  static void onlyLoopbackNames(RoutingContext context) {
    HostAndPort authority = context.request().authority();
    if (authority != null && LOOPBACK_NAME.matcher(authority.host()).matches()) {
      context.next();
      return;
    }
    String found = authority == null ? "none" : authority.host();
    Answer.problem(
            421,
            "Misdirected Request",
            "the Host header must name localhost, 127.0.0.0/8 or [::1], found " + found)
        .send(context);
  }

  /** A form of a web page can be sent to any host, but not as JSON. */
  static void onlyJson(RoutingContext context) {
    String found = context.request().getHeader(HttpHeaders.CONTENT_TYPE);
    if (found != null && JSON.matcher(found).matches()) {
      context.next();
      return;
    }
    context.response().putHeader("Accept", "application/json");
    String detail =
        "the Content-Type must be application/json, found " + (found == null ? "none" : found);
    endWith(context, Answer.problem(415, "Unsupported Media Type", detail));
  }

  /**
   * A proxy and this server might see the end of a chunked body in different places, and the rest
   * as somebody else's request; what has no length beforehand could also go on for ever.
   */
  static boolean hidesItsLength(RoutingContext context) {
    return context.request().headers().contains(HttpHeaders.TRANSFER_ENCODING);
  }

  /** Reads need no body; one that has it is answered here. */
  static boolean hasNoBody(RoutingContext context) {
    if (!announcesBody(context.request())) {
      return true;
    }
    endWith(context, Answer.problem(413, "Content Too Large", "a request must have no body"));
    return false;
  }

  /** What comes all the same is not read, so the connection ends with it. */
  static void endWith(RoutingContext context, Answer answer) {
    context.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    answer.send(context);
    context.request().connection().shutdown();
  }

  private static boolean announcesBody(HttpServerRequest request) {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    return length != null && !length.equals("0");
  }
}
