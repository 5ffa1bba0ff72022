package io.millrace.core.config;

/** How the JSON web tokens are signed that the admin API accepts (RFC 7518, section 3.1). */
public enum JwtAlgorithm {
  /** None are accepted. */
  NONE,
  /** By a secret that the issuer and the API share. */
  HS256,
  /** By RSA keys, PKCS #1. */
  RS256,
  /** By RSA keys, PSS. */
  PS256,
  /** By keys on the curve P-256. */
  ES256
}
