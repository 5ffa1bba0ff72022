package io.millrace.relay;

import io.millrace.core.message.OutboxMessage;
import io.millrace.port.Resolver;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Predicate;

/** The step of a pass that fills late-bound payloads: one query a resolver and batch. */
final class ResolveStep {
  private final Map<String, Resolver> resolvers = new HashMap<>();

  ResolveStep(List<Resolver> resolvers) {
    resolvers.forEach(r -> this.resolvers.put(r.name(), r));
  }

  /**
   * The same messages in the same order; the wanted ones with payloads that need nobody any more.
   *
   * @param hopeless those that nobody here can fill, by id, with the reason
   */
  record Filled(List<OutboxMessage> messages, Map<Long, String> hopeless) {}

  /**
   * @param isWanted false for a message that is not published now
   */
  Future<Filled> resolve(List<OutboxMessage> messages, Predicate<OutboxMessage> isWanted) {
    Map<Long, String> unknown = unknown(messages);
    Map<Resolver, List<OutboxMessage>> byResolver = new LinkedHashMap<>();
    for (OutboxMessage message : messages) {
      String name = message.resolver();
      Resolver resolver = name == null ? null : resolvers.get(name);
      if (resolver != null && isWanted.test(message)) {
        byResolver.computeIfAbsent(resolver, r -> new ArrayList<>()).add(message);
      }
    }
    if (byResolver.isEmpty()) {
      return Future.succeededFuture(new Filled(messages, unknown));
    }
    List<Future<Filled>> answers = new ArrayList<>();
    byResolver.forEach((resolver, theirs) -> answers.add(ask(resolver, theirs)));
    return Future.join(answers).map(all -> merge(messages, unknown, answers));
  }

  private Map<Long, String> unknown(List<OutboxMessage> messages) {
    Map<Long, String> reasons = new HashMap<>();
    for (OutboxMessage message : messages) {
      String name = message.resolver();
      if (name != null && !resolvers.containsKey(name)) {
        reasons.put(
            message.id(),
            "it names the resolver '%s', this node has %s"
                .formatted(name, new TreeSet<>(resolvers.keySet())));
      }
    }
    return reasons;
  }

  /** What a resolver forgot is not published unfilled. */
  private static Future<Filled> ask(Resolver resolver, List<OutboxMessage> messages) {
    return resolver
        .resolve(messages)
        .map(
            answer -> {
              Map<Long, String> hopeless = new HashMap<>();
              messages.forEach(
                  m ->
                      hopeless.put(
                          m.id(),
                          "the resolver '%s' said nothing of it".formatted(resolver.name())));
              answer.messages().forEach(m -> hopeless.remove(m.id()));
              hopeless.putAll(answer.hopeless());
              return new Filled(answer.messages(), hopeless);
            });
  }

  private static Filled merge(
      List<OutboxMessage> messages, Map<Long, String> unknown, List<Future<Filled>> answers) {
    Map<Long, OutboxMessage> resolved = new HashMap<>();
    Map<Long, String> hopeless = new HashMap<>(unknown);
    for (Future<Filled> answer : answers) {
      answer.result().messages().forEach(m -> resolved.put(m.id(), m));
      hopeless.putAll(answer.result().hopeless());
    }
    return new Filled(
        messages.stream().map(m -> resolved.getOrDefault(m.id(), m)).toList(), hopeless);
  }
}
