package io.millrace.core.config;

/** How a connection to PostgreSQL is secured, in the words of libpq. */
public enum SslMode {
  /** Never encrypted. */
  DISABLE,
  /** Encrypted if the server offers it; protects against nobody who can change packets. */
  PREFER,
  /** Encrypted, whoever the server is. */
  REQUIRE,
  /** Encrypted, and the server's certificate comes from a trusted authority. */
  VERIFY_CA,
  /** As before, and the certificate names the host. */
  VERIFY_FULL
}
