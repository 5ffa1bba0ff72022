package io.millrace.launcher.status;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which node is asked, and as whom. */
final class Target {
  static final String TOKEN_VARIABLE = "MILLRACE_ADMIN_TOKEN";

  @Option(
      names = "--url",
      defaultValue = "http://127.0.0.1:8720",
      paramLabel = "URL",
      description = "The node's admin API (default: ${DEFAULT-VALUE}).")
  private String url = "";

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = {
        "A viewer's token; without the file, the variable " + TOKEN_VARIABLE + ".",
        "A command line is no place for it: everybody on the machine can read that."
      })
  private @Nullable Path tokenFile;

  @Option(
      names = "--ca-file",
      paramLabel = "FILE",
      description = "PEM certificates of who has signed the node's; without, the platform's own.")
  private @Nullable Path authorities;

  /**
   * @throws IllegalArgumentException naming the option that is wrong
   */
  AdminClient open() throws IOException {
    Path file = tokenFile;
    String token = file == null ? System.getenv(TOKEN_VARIABLE) : Files.readString(file).strip();
    return AdminClient.of(url, token == null || token.isEmpty() ? null : token, authorities);
  }
}
