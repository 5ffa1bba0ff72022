package io.millrace.admin;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The description of the API for programs: {@code docs/openapi.yaml}, as it was built. */
final class OpenApi {
  private static final String FILE = "openapi.yaml";

  private OpenApi() {}

  /** Reads the file; blocks, for a few kilobytes of the class path. */
  static String text() {
    try (InputStream file = OpenApi.class.getResourceAsStream(FILE)) {
      if (file == null) {
        throw new IllegalStateException(FILE + " is missing from the class path");
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
