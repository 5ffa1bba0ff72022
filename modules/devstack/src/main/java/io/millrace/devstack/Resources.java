package io.millrace.devstack;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** The files that this module carries. */
final class Resources {
  private Resources() {}

  /** The caller closes the stream; a name without a leading slash is below this package. */
  static InputStream open(String name) {
    InputStream stream = Resources.class.getResourceAsStream(name);
    if (stream == null) {
      throw new DevStackException("this build does not carry the resource " + name);
    }
    return stream;
  }

  static String text(String name) {
    try (InputStream stream = open(name)) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new DevStackException("cannot read the resource " + name, e);
    }
  }
}
