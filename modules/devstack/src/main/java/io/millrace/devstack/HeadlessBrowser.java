package io.millrace.devstack;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chromium without windows and the driver that steers it, which no library carries: those that are
 * installed on this system, else those of its own packages, unpacked into the cache without being
 * installed.
 *
 * @param browser the program of the browser
 * @param driver the program that speaks WebDriver
 * @param environment what both need beside this process' own
 */
public record HeadlessBrowser(Path browser, Path driver, Map<String, String> environment) {
  private static final String NAME = "headless-chromium";
  private static final Logger LOG = LoggerFactory.getLogger(HeadlessBrowser.class);

  public HeadlessBrowser {
    environment = Map.copyOf(environment);
  }

  /**
   * The first call on a system that has none installed takes half a minute or more.
   *
   * @throws DevStackException with what to install when this system's packages cannot be fetched
   */
  public static HeadlessBrowser find() {
    Optional<Path> browser =
        UnpackedPrograms.onThePath("chromium-headless-shell")
            .or(() -> UnpackedPrograms.onThePath("chromium"));
    Optional<Path> driver = UnpackedPrograms.onThePath("chromedriver");
    if (browser.isPresent() && driver.isPresent()) {
      return new HeadlessBrowser(browser.get(), driver.get(), Map.of());
    }
    try {
      return unpacked(ProgramCache.ofUser().folder(NAME, HeadlessBrowser::fetch));
    } catch (IOException e) {
      throw new DevStackException(
          "Chromium and its driver are needed, and here are none: install them, on Debian 12 with"
              + " 'apt-get install chromium chromium-driver' ("
              + e.getMessage()
              + ")",
          e);
    }
  }

  private static void fetch(Path folder) throws IOException {
    LOG.info("fetching Chromium from this system's packages, which takes half a minute or more");
    new FetchScript("browser.sh", List.of()).run(folder);
  }

  private static HeadlessBrowser unpacked(Path folder) throws IOException {
    return new HeadlessBrowser(
        folder.resolve("usr/lib/chromium/chromium-headless-shell"),
        folder.resolve("usr/bin/chromedriver"),
        Map.of(
            "LD_LIBRARY_PATH",
            UnpackedPrograms.libraries(folder),
            // Fonts and their settings are the unpacked ones, too.
            "FONTCONFIG_SYSROOT",
            folder.toString()));
  }
}
