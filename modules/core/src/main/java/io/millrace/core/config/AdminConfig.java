package io.millrace.core.config;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Section {@code admin}: the HTTP API, metrics and health. Each component's unit, limits and harm
 * stand with its key.
 */
public record AdminConfig(
    boolean enabled,
    String host,
    int port,
    int requestsPerSecondMax,
    Map<String, String> tokens,
    JwtAlgorithm jwtAlgorithm,
    Secret jwtSecret,
    String jwtKeyFiles,
    String jwtIssuer,
    String jwtAudience,
    String jwtRoleClaim,
    String tlsCertificateFile,
    String tlsKeyFile,
    boolean tlsTerminatedByProxy) {

  /** Whether this node serves the admin API; off, it cannot be asked for health or metrics. */
  public static final BooleanKey ENABLED = new BooleanKey("admin.enabled", true);

  /**
   * The address to listen on. Beyond loopback only with authentication, and with TLS of its own or
   * of a proxy: whoever reaches the API could redrive and discard messages.
   */
  public static final TextKey HOST = new TextKey("admin.host", "127.0.0.1", TextRule.HOST);

  /** The TCP port to listen on, 0 for any free one; one in use by others stops the start. */
  public static final IntKey PORT = new IntKey("admin.port", 8720, 0, 65_535, "TCP port");

  /** What one address may ask for; too few turn probes and scrapes away with 429. */
  public static final IntKey REQUESTS_PER_SECOND_MAX =
      new IntKey("admin.requests_per_second_max", 100, 1, 10_000, "requests");

  /** Static tokens. Whoever has one acts under its name until it is taken out of here. */
  public static final TextMapKey TOKENS =
      new TextMapKey(
          "admin.tokens", AdminToken.SUMMARY, AdminToken::refusal, /* hidden= */ name -> true);

  /** How accepted JSON web tokens are signed; a token of another algorithm is refused. */
  public static final ChoiceKey<JwtAlgorithm> JWT_ALGORITHM =
      new ChoiceKey<>("admin.jwt_algorithm", JwtAlgorithm.NONE, List.of(JwtAlgorithm.values()));

  /** The secret for hs256. Whoever knows it can make himself an operator. */
  public static final SecretKey JWT_SECRET = new SecretKey("admin.jwt_secret");

  /** The issuer's public keys for the other algorithms; several while keys are changed. */
  public static final TextKey JWT_KEY_FILES =
      new TextKey("admin.jwt_key_files", "", TextRule.FILES);

  /** The claim iss that a token must have. */
  public static final TextKey JWT_ISSUER = new TextKey("admin.jwt_issuer", "", TextRule.CLAIM_TEXT);

  /** What the claim aud must contain; without it tokens made for others would be accepted. */
  public static final TextKey JWT_AUDIENCE =
      new TextKey("admin.jwt_audience", "", TextRule.CLAIM_TEXT);

  /** The claim with the roles, a list or a text with blanks; a dot leads into a claim. */
  public static final TextKey JWT_ROLE_CLAIM =
      new TextKey("admin.jwt_role_claim", "roles", TextRule.CLAIM);

  /** The certificate chain, PEM; with it the API speaks TLS 1.2 and 1.3 alone. */
  public static final TextKey TLS_CERTIFICATE_FILE =
      new TextKey("admin.tls_certificate_file", "", TextRule.FILE);

  /** The certificate's private key, PEM (PKCS #8). */
  public static final TextKey TLS_KEY_FILE = new TextKey("admin.tls_key_file", "", TextRule.FILE);

  /**
   * Whether nobody but a proxy that terminates TLS can reach the address. Wrongly true, tokens
   * travel in the clear, and callers choose the address that they are counted under.
   */
  public static final BooleanKey TLS_TERMINATED_BY_PROXY =
      new BooleanKey("admin.tls_terminated_by_proxy", false);

  private static final int SECRET_CHARACTERS_MIN = 32;

  /**
   * @throws ConfigException if a value is outside its limits
   */
  public AdminConfig {
    tokens = Map.copyOf(tokens);
    new Problems()
        .check(ENABLED, enabled)
        .check(HOST, host)
        .check(PORT, port)
        .check(REQUESTS_PER_SECOND_MAX, requestsPerSecondMax)
        .check(TOKENS, tokens)
        .check(JWT_ALGORITHM, jwtAlgorithm)
        .check(JWT_SECRET, jwtSecret)
        .check(JWT_KEY_FILES, jwtKeyFiles)
        .check(JWT_ISSUER, jwtIssuer)
        .check(JWT_AUDIENCE, jwtAudience)
        .check(JWT_ROLE_CLAIM, jwtRoleClaim)
        .check(TLS_CERTIFICATE_FILE, tlsCertificateFile)
        .check(TLS_KEY_FILE, tlsKeyFile)
        .check(TLS_TERMINATED_BY_PROXY, tlsTerminatedByProxy)
        .throwIfAny();
  }

  /** Every field at its default. */
  public static AdminConfig defaults() {
    return read(new ConfigReader(Map.of()));
  }

  /** Reads the section's keys; what is wrong stays with the reader. */
  public static AdminConfig read(ConfigReader reader) {
    return new AdminConfig(
        reader.read(ENABLED),
        reader.read(HOST),
        reader.read(PORT),
        reader.read(REQUESTS_PER_SECOND_MAX),
        reader.read(TOKENS),
        reader.read(JWT_ALGORITHM),
        reader.read(JWT_SECRET),
        reader.read(JWT_KEY_FILES),
        reader.read(JWT_ISSUER),
        reader.read(JWT_AUDIENCE),
        reader.read(JWT_ROLE_CLAIM),
        reader.read(TLS_CERTIFICATE_FILE),
        reader.read(TLS_KEY_FILE),
        reader.read(TLS_TERMINATED_BY_PROXY));
  }

  /** Whether callers have to show who they are. */
  public boolean authenticates() {
    return !tokens.isEmpty() || acceptsJwt();
  }

  /** Whether JSON web tokens are accepted. */
  public boolean acceptsJwt() {
    return jwtAlgorithm != JwtAlgorithm.NONE;
  }

  /** Whether the API speaks TLS itself. */
  public boolean servesTls() {
    return !tlsCertificateFile.isEmpty();
  }

  /** The paths of {@code admin.jwt_key_files}. */
  public List<String> jwtKeyFileList() {
    return Stream.of(jwtKeyFiles.split(",")).filter(path -> !path.isEmpty()).toList();
  }

  /** The relations between the keys that do not hold; the API must not be served with any. */
  public List<Problem> contradictions() {
    Problems problems = new Problems();
    relate(problems);
    return problems.list();
  }

  void relate(Problems problems) {
    boolean isLoopback = TextRule.LOOPBACK.matches(host);
    problems.relate(
        isLoopback || authenticates(),
        HOST,
        host,
        TOKENS,
        "must be "
            + TextRule.LOOPBACK.words()
            + " without admin.tokens and admin.jwt_algorithm,"
            + " because whoever reaches it is asked for nothing");
    problems.relate(
        isLoopback || !authenticates() || servesTls() || tlsTerminatedByProxy,
        HOST,
        host,
        TLS_CERTIFICATE_FILE,
        "must be "
            + TextRule.LOOPBACK.words()
            + " without admin.tls_certificate_file and"
            + " admin.tls_terminated_by_proxy, because tokens would travel in the clear");
    problems.relate(
        tlsCertificateFile.isEmpty() == tlsKeyFile.isEmpty(),
        TLS_KEY_FILE,
        tlsKeyFile,
        TLS_CERTIFICATE_FILE,
        "must be given together with admin.tls_certificate_file");
    relateTokens(problems);
    relateJwt(problems);
  }

  private void relateTokens(Problems problems) {
    Set<String> seen = new HashSet<>();
    boolean areDistinct =
        tokens.values().stream()
            .map(entry -> entry.substring(entry.indexOf(':')))
            .allMatch(seen::add);
    problems.relate(
        areDistinct,
        TOKENS,
        tokens,
        TOKENS,
        "must have a token of its own for each name, or nobody knows who did what");
  }

  private void relateJwt(Problems problems) {
    boolean isHmac = jwtAlgorithm == JwtAlgorithm.HS256;
    int length = jwtSecret.reveal().length();
    problems.relate(
        isHmac ? length >= SECRET_CHARACTERS_MIN : length == 0,
        JWT_SECRET,
        jwtSecret,
        JWT_ALGORITHM,
        isHmac
            ? "must have at least " + SECRET_CHARACTERS_MIN + " characters for hs256"
            : "must be empty with admin.jwt_algorithm " + JWT_ALGORITHM.print(jwtAlgorithm));
    boolean needsKeys = acceptsJwt() && !isHmac;
    problems.relate(
        needsKeys != jwtKeyFiles.isEmpty(),
        JWT_KEY_FILES,
        jwtKeyFiles,
        JWT_ALGORITHM,
        (needsKeys ? "must name a key file" : "must be empty")
            + " with admin.jwt_algorithm "
            + JWT_ALGORITHM.print(jwtAlgorithm));
    String given = "must be given when JSON web tokens are accepted";
    problems.relate(
        !acceptsJwt() || !jwtIssuer.isEmpty(), JWT_ISSUER, jwtIssuer, JWT_ALGORITHM, given);
    problems.relate(
        !acceptsJwt() || !jwtAudience.isEmpty(), JWT_AUDIENCE, jwtAudience, JWT_ALGORITHM, given);
  }

  /** Shows no token. */
  @Override
  public String toString() {
    return "AdminConfig[host="
        + host
        + ", port="
        + port
        + ", tokens="
        + TOKENS.print(tokens)
        + ", ...]";
  }

  void printTo(Map<String, String> target) {
    ENABLED.printTo(target, enabled);
    HOST.printTo(target, host);
    PORT.printTo(target, port);
    REQUESTS_PER_SECOND_MAX.printTo(target, requestsPerSecondMax);
    TOKENS.printTo(target, tokens);
    JWT_ALGORITHM.printTo(target, jwtAlgorithm);
    JWT_SECRET.printTo(target, jwtSecret);
    JWT_KEY_FILES.printTo(target, jwtKeyFiles);
    JWT_ISSUER.printTo(target, jwtIssuer);
    JWT_AUDIENCE.printTo(target, jwtAudience);
    JWT_ROLE_CLAIM.printTo(target, jwtRoleClaim);
    TLS_CERTIFICATE_FILE.printTo(target, tlsCertificateFile);
    TLS_KEY_FILE.printTo(target, tlsKeyFile);
    TLS_TERMINATED_BY_PROXY.printTo(target, tlsTerminatedByProxy);
  }
}
