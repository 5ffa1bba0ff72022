package io.millrace.bench.spi;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The main loop of a subject's process: a command a line on standard input, {@code name TAB
 * argument=value TAB ...}, and its answer a line on standard output, beginning with {@link #OK} or
 * {@link #FAILED}. The end of the input, which the harness's end brings about, ends the process.
 */
public final class SubjectProcess {
  public static final String OK = "@ok";
  public static final String FAILED = "@failed";
  public static final char SEPARATOR = '\t';

  private SubjectProcess() {}

  /** How a process makes its subject of the settings it is given. */
  public interface Maker {
    Subject make(SubjectSettings settings) throws Exception;
  }

  /**
   * Runs until the end of the input.
   *
   * @param arguments the settings, each {@code name=value}
   */
  public static void run(String[] arguments, Maker maker) {
    PrintStream answers = System.out;
    // What a library prints must not fill a pipe that nobody reads meanwhile.
    System.setOut(System.err);
    try {
      SubjectSettings settings = SubjectSettings.of(values(List.of(arguments)));
      Subject subject = maker.make(settings);
      serve(subject, answers);
      subject.close();
    } catch (Throwable e) {
      e.printStackTrace();
      answers.println(FAILED + SEPARATOR + line(e));
      Runtime.getRuntime().halt(1);
    }
    // Whatever threads a peer's library may have left.
    Runtime.getRuntime().halt(0);
  }

  private static void serve(Subject subject, PrintStream answers) throws Exception {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    @Nullable String line;
    while ((line = in.readLine()) != null) {
      List<String> words = List.of(line.split("\t"));
      Map<String, String> arguments = values(words.subList(1, words.size()));
      answer(answers, () -> subject.call(words.get(0), arguments));
    }
  }

  private static void answer(PrintStream answers, Callable<Map<String, String>> call)
      throws Exception {
    List<String> words = new ArrayList<>(List.of(OK));
    call.call().forEach((name, value) -> words.add(name + "=" + value));
    answers.println(String.join(String.valueOf(SEPARATOR), words));
  }

  private static String line(Throwable e) {
    return String.valueOf(e).replaceAll("\\s+", " ");
  }

  /** Reads words of the form {@code name=value}. */
  public static Map<String, String> values(List<String> words) {
    Map<String, String> values = new HashMap<>();
    for (String word : words) {
      int at = word.indexOf('=');
      if (at < 1) {
        throw new IllegalArgumentException("not name=value: " + word);
      }
      values.put(word.substring(0, at), word.substring(at + 1));
    }
    return values;
  }

  /** For subjects that a harness has asked what they do not know. */
  public static IllegalArgumentException unknown(String command) {
    return new IllegalArgumentException("unknown command " + command);
  }

  /** An answer without values. */
  public static Map<String, String> done() {
    return Map.of();
  }
}
