package io.millrace.spatial;

import com.uber.h3core.H3Core;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The H3 cells of points. Thread-safe. The same point has the same cell on every node and in every
 * version of H3.
 */
public final class Cells {
  private final H3Core h3;

  private Cells(H3Core h3) {
    this.h3 = h3;
  }

  /** One for the process: each would unpack the native library anew. */
  private static final class Shared {
    static final Cells CELLS = load();

    private static Cells load() {
      try {
        return new Cells(H3Core.newInstance());
      } catch (IOException | UnsatisfiedLinkError e) {
        throw new IllegalStateException(
            "the native library of H3 cannot be loaded on %s %s: %s"
                .formatted(
                    System.getProperty("os.name"), System.getProperty("os.arch"), e.getMessage()),
            e);
      }
    }
  }

  /**
   * The cells of this process. The first call unpacks the native library, which blocks for some
   * tenths of a second; a JDK from 24 on warns unless it is started with {@code
   * --enable-native-access=ALL-UNNAMED}.
   *
   * @throws IllegalStateException where H3 has no library for the platform
   */
  public static Cells load() {
    return Shared.CELLS;
  }

  /**
   * The routing key of a point: the cell that holds it, in H3's own hexadecimal spelling.
   *
   * @param lon degrees of EPSG:4326, any number of turns
   * @param lat degrees of EPSG:4326, -90 to 90
   * @param resolution 0 (continents) to 15 (a square metre)
   */
  public String of(double lon, double lat, int resolution) {
    return h3.latLngToCellAddress(lat, lon, resolution);
  }

  /** As {@link #of(double, double, int)}; null for a feature without a point. */
  @Nullable String of(@Nullable Origin origin, int resolution) {
    return origin == null ? null : of(origin.lon(), origin.lat(), resolution);
  }
}
