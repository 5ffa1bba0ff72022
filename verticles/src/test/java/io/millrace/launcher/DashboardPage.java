package io.millrace.launcher;

import io.millrace.devstack.HeadlessBrowser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.logging.Level;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebDriver;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** The dashboard in a real browser, which its screenshots are left of in {@code target}. */
final class DashboardPage implements AutoCloseable {
  private static final Path PICTURES = Path.of("target", "dashboard");

  private final ChromeDriver driver;

  private DashboardPage(ChromeDriver driver) {
    this.driver = driver;
  }

  /**
   * Opens it.
   *
   * @param isDark what the reader's system asks pages for
   */
  static DashboardPage open(int port, int width, int height, boolean isDark) {
    HeadlessBrowser programs = HeadlessBrowser.find();
    ChromeOptions options = new ChromeOptions();
    options.setBinary(programs.browser().toFile());
    // Tests run as root in many places, where the sandbox does not work.
    options.addArguments("--headless", "--no-sandbox", "--disable-dev-shm-usage");
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    options.setCapability("goog:loggingPrefs", logs);
    ChromeDriverService service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(programs.driver().toFile())
            .usingAnyFreePort()
            .withEnvironment(programs.environment())
            .build();
    DashboardPage page = new DashboardPage(new ChromeDriver(service, options));
    page.driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of(
            "features",
            List.of(Map.of("name", "prefers-color-scheme", "value", isDark ? "dark" : "light"))));
    page.driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 500));
    page.driver.get("http://127.0.0.1:" + port + "/");
    return page;
  }

  void signIn(String token) {
    WebElement field = await("the form", page -> shown("#token"));
    field.sendKeys(token, Keys.ENTER);
  }

  /** What is shown at a selector; null: nothing. */
  WebElement shown(String selector) {
    return driver.findElements(By.cssSelector(selector)).stream()
        .filter(WebElement::isDisplayed)
        .findFirst()
        .orElse(null);
  }

  String text(String selector) {
    List<WebElement> found = driver.findElements(By.cssSelector(selector));
    return found.isEmpty() ? "" : found.get(0).getText();
  }

  void click(String selector) {
    await(selector, page -> shown(selector)).click();
  }

  void type(String selector, String text) {
    await(selector, page -> shown(selector)).sendKeys(text);
  }

  void press(CharSequence... keys) {
    for (CharSequence key : keys) {
      new Actions(driver).sendKeys(key).perform();
    }
  }

  /** Where the keyboard is: the element's id, label or text. */
  String focus() {
    return (String)
        driver.executeScript(
            "const a = document.activeElement;"
                + " return a.id || a.getAttribute('aria-label') || a.textContent.trim();");
  }

  Object script(String body) {
    return driver.executeScript(body);
  }

  void awaitText(String selector, String part) {
    await(part + " in " + selector, page -> text(selector).contains(part) ? true : null);
  }

  /** Waits until there is an answer that is not null. */
  <T> T await(String what, Function<WebDriver, T> condition) {
    try {
      return Awaitility.await()
          .atMost(Stand.LIMIT)
          .ignoreExceptionsInstanceOf(StaleElementReferenceException.class)
          .until(() -> condition.apply(driver), Objects::nonNull);
    } catch (ConditionTimeoutException e) {
      throw new AssertionError(what + " did not come; the page shows " + text("body"), e);
    }
  }

  /** What the browser complained about. */
  List<String> complaints() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
        .map(LogEntry::getMessage)
        .toList();
  }

  void picture(String name) throws IOException {
    Number height = (Number) script("return document.documentElement.scrollHeight");
    Dimension size = driver.manage().window().getSize();
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of(
            "width",
            ((Number) script("return innerWidth")).intValue(),
            "height",
            Math.max(height.intValue(), size.height),
            "deviceScaleFactor",
            1,
            "mobile",
            false));
    Files.createDirectories(PICTURES);
    Files.write(PICTURES.resolve(name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
  }

  @Override
  public void close() {
    driver.quit();
  }
}
