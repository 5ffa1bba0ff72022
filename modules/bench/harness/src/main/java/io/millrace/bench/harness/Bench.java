package io.millrace.bench.harness;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What scenarios share. */
final class Bench {
  private final Servers servers;
  private final BenchOptions options;
  private final PrintStream out;
  private final Figures figures = new Figures();
  private final Map<String, String> descriptions = new TreeMap<>();

  Bench(Servers servers, BenchOptions options, PrintStream out) {
    this.servers = servers;
    this.options = options;
    this.out = out;
  }

  Servers servers() {
    return servers;
  }

  BenchOptions options() {
    return options;
  }

  Figures figures() {
    return figures;
  }

  /** Of every subject that was measured, by name. */
  Map<String, String> descriptions() {
    return Collections.unmodifiableMap(descriptions);
  }

  Path folder() {
    return options.folder;
  }

  /** A new process of the subject at the site. */
  Child start(SubjectSpec spec, Site site) {
    Child child = Child.start(spec, folder(), options.heap, site);
    descriptions.computeIfAbsent(
        spec.name(), name -> child.call("describe").getOrDefault("text", ""));
    return child;
  }

  void add(Figure figure) {
    figures.add(figure);
    out.printf(
        "%-8s round %d  %-14s %-16s %s %s%n",
        figure.scenario(),
        figure.round(),
        figure.group(),
        figure.subject(),
        rounded(figure.values()),
        figure.notes().isEmpty() ? "" : figure.notes());
  }

  private static Map<String, String> rounded(Map<String, Double> values) {
    Map<String, String> text = new TreeMap<>();
    values.forEach((name, value) -> text.put(name, "%.2f".formatted(value)));
    return text;
  }

  /** The subjects, beginning with another one each round: none is always first. */
  static <T> List<T> turned(List<T> subjects, int round) {
    List<T> turned = new ArrayList<>(subjects);
    Collections.rotate(turned, -round);
    return turned;
  }
}
