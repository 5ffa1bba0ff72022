package io.millrace.launcher.log;

import ch.qos.logback.classic.LoggerContext;
import io.millrace.core.config.Problem;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.LoggerFactory;

/** How lines of the log look: text or JSON, by a variable of the environment. */
public final class LogFormat {
  /** The variable; {@code conf/logback.xml} reads it before anything of Millrace runs. */
  public static final String VARIABLE = "MILLRACE_LOG_FORMAT";

  static final String JSON = "json";

  private static final List<String> FORMATS = List.of("text", JSON);

  private LogFormat() {}

  /** What is wrong with the variable, if anything is. */
  public static Optional<Problem> problem(Map<String, String> environment) {
    String format = environment.getOrDefault(VARIABLE, "text");
    return FORMATS.contains(format)
        ? Optional.empty()
        : Optional.of(new Problem(VARIABLE, "must be one of text, json", "\"" + format + "\""));
  }

  /** Whether what people read elsewhere is to be a line of JSON, too. */
  public static boolean isJson(Map<String, String> environment) {
    return JSON.equals(environment.get(VARIABLE));
  }

  /** From now on lines of JSON tell which node wrote them. */
  public static void tellNode(String id) {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context.putProperty(JsonEncoder.NODE, id);
    }
  }
}
