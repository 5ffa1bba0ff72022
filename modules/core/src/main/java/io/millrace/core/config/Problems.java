package io.millrace.core.config;

import java.util.ArrayList;
import java.util.List;

/** Collects problems, so that all of them are reported at once. */
final class Problems {

  private final List<Problem> list = new ArrayList<>();

  void add(Problem problem) {
    list.add(problem);
  }

  /** Checks the key's own rule; chained, as the compact constructors do. */
  <T> Problems check(Key<T> key, T value) {
    key.check(value, this);
    return this;
  }

  /**
   * Checks a rule between two keys. It is left out if either has a problem of its own: then the
   * value is not the one that was meant, and the relation would accuse an innocent key.
   */
  <T> void relate(boolean holds, Key<T> key, T value, Key<?> other, String rule) {
    if (!holds && !blames(key) && !blames(other)) {
      list.add(new Problem(key.name(), rule, key.show(value)));
    }
  }

  /** Checks that one key's value is not below another's; left out as {@link #relate} is. */
  <T extends Comparable<T>> void atLeast(Key<T> key, T value, Key<T> floor, T floorValue) {
    String rule = "must be at least " + floor.name() + " (" + floor.print(floorValue) + ")";
    relate(value.compareTo(floorValue) >= 0, key, value, floor, rule);
  }

  int size() {
    return list.size();
  }

  List<Problem> list() {
    return List.copyOf(list);
  }

  /**
   * @throws ConfigException with everything collected, if there is anything
   */
  void throwIfAny() {
    if (!list.isEmpty()) {
      throw new ConfigException(list);
    }
  }

  private boolean blames(Key<?> key) {
    return list.stream().anyMatch(problem -> problem.key().equals(key.name()));
  }
}
