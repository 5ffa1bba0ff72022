package io.millrace.devstack;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.testcontainers.DockerClientFactory;

/**
 * Who starts the servers. {@code -Dmillrace.servers=} says it for a whole JVM; all else about a
 * server stays the same.
 *
 * <p>Servers with PostGIS, with access control, or with a directory of their own are processes in
 * any case.
 */
public enum ServerChoice {
  /** Processes of this machine, from programs that are unpacked; the default. */
  EMBEDDED,
  /** Containers; without Docker the start fails. */
  CONTAINERS,
  /** Containers where Docker is present, processes where it is not. */
  AUTO;

  /** The system property. */
  public static final String PROPERTY = "millrace.servers";

  /**
   * What the system property says.
   *
   * @throws DevStackException if it says something else
   */
  public static ServerChoice fromSystemProperty() {
    return of(System.getProperty(PROPERTY, "embedded"));
  }

  static ServerChoice of(String text) {
    return Arrays.stream(values())
        .filter(choice -> choice.text().equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new DevStackException(
                    "-D%s must be one of %s, found '%s'"
                        .formatted(
                            PROPERTY,
                            Arrays.stream(values())
                                .map(ServerChoice::text)
                                .collect(Collectors.joining(", ")),
                            text)));
  }

  private String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Whether servers are containers. Looks for Docker where that matters, once in a JVM; where there
   * is none that takes less than a second.
   *
   * @throws DevStackException if they have to be and there is no Docker
   */
  boolean usesContainers() {
    return usesContainers(Docker::isPresent);
  }

  boolean usesContainers(BooleanSupplier isDockerPresent) {
    return switch (this) {
      case EMBEDDED -> false;
      case AUTO -> isDockerPresent.getAsBoolean();
      case CONTAINERS -> {
        if (!isDockerPresent.getAsBoolean()) {
          throw new DevStackException(
              "-D%s=containers needs Docker, and none answers: start it, or leave the setting out"
                  .formatted(PROPERTY));
        }
        yield true;
      }
    };
  }

  private static final class Docker {
    private static final boolean IS_PRESENT = DockerClientFactory.instance().isDockerAvailable();

    static boolean isPresent() {
      return IS_PRESENT;
    }
  }
}
