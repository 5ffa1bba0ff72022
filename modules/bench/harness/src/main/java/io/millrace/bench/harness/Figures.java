package io.millrace.bench.harness;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** All that has been measured, in the order in which it was. */
final class Figures {
  private final List<Figure> all = new ArrayList<>();

  void add(Figure figure) {
    all.add(figure);
  }

  List<Figure> of(String scenario) {
    return all.stream().filter(figure -> figure.scenario().equals(scenario)).toList();
  }

  /** Names in the order in which they were first measured. */
  Set<String> names(String scenario, Function<Figure, String> name) {
    Set<String> names = new LinkedHashSet<>();
    of(scenario).forEach(figure -> names.add(name.apply(figure)));
    return names;
  }

  /** The values of a subject in all rounds; empty: it was not measured. */
  Optional<Spread> spread(String scenario, String group, String subject, String metric) {
    Map<Integer, Double> rounds = rounds(scenario, group, subject, metric);
    return rounds.isEmpty() ? Optional.empty() : Optional.of(Spread.of(rounds.values()));
  }

  /** A subject's values as parts of another one's in the same round. */
  Optional<Spread> ratio(
      String scenario, String group, String metric, String subject, String reference) {
    Map<Integer, Double> own = rounds(scenario, group, subject, metric);
    Map<Integer, Double> other = rounds(scenario, group, reference, metric);
    List<Double> ratios = new ArrayList<>();
    own.forEach(
        (round, value) -> {
          Double base = other.get(round);
          if (base != null && base > 0) {
            ratios.add(value / base);
          }
        });
    return ratios.isEmpty() ? Optional.empty() : Optional.of(Spread.of(ratios));
  }

  private Map<Integer, Double> rounds(
      String scenario, String group, String subject, String metric) {
    Map<Integer, Double> rounds = new HashMap<>();
    for (Figure figure : of(scenario)) {
      Double value = figure.values().get(metric);
      if (figure.group().equals(group) && figure.subject().equals(subject) && value != null) {
        rounds.put(figure.round(), value);
      }
    }
    return rounds;
  }

  /** What was noted about a subject, each note once. */
  String notes(String scenario, String group, String subject, String note) {
    return of(scenario).stream()
        .filter(figure -> figure.group().equals(group) && figure.subject().equals(subject))
        .map(figure -> figure.notes().getOrDefault(note, ""))
        .distinct()
        .collect(Collectors.joining("; "));
  }

  JsonArray toJson() {
    JsonArray array = new JsonArray();
    for (Figure figure : all) {
      JsonObject values = new JsonObject();
      figure.values().forEach(values::put);
      JsonObject notes = new JsonObject();
      figure.notes().forEach(notes::put);
      array.add(
          new JsonObject()
              .put("scenario", figure.scenario())
              .put("group", figure.group())
              .put("round", figure.round())
              .put("subject", figure.subject())
              .put("values", values)
              .put("notes", notes));
    }
    return array;
  }
}
