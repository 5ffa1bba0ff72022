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

  /** Messages whose resolver this node does not have, by id, with the reason. */
  Map<Long, String> unknown(List<OutboxMessage> messages) {
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

  /**
   * The same messages in the same order; the wanted ones with payloads that need nobody any more.
   *
   * @param isWanted false for a message that is not published now
   */
  Future<List<OutboxMessage>> resolve(
      List<OutboxMessage> messages, Predicate<OutboxMessage> isWanted) {
    Map<Resolver, List<OutboxMessage>> byResolver = new LinkedHashMap<>();
    for (OutboxMessage message : messages) {
      String name = message.resolver();
      Resolver resolver = name == null ? null : resolvers.get(name);
      if (resolver != null && isWanted.test(message)) {
        byResolver.computeIfAbsent(resolver, r -> new ArrayList<>()).add(message);
      }
    }
    if (byResolver.isEmpty()) {
      return Future.succeededFuture(messages);
    }
    List<Future<List<OutboxMessage>>> answers = new ArrayList<>();
    byResolver.forEach((resolver, theirs) -> answers.add(resolver.resolve(theirs)));
    return Future.join(answers).map(all -> merge(messages, answers));
  }

  private static List<OutboxMessage> merge(
      List<OutboxMessage> messages, List<Future<List<OutboxMessage>>> answers) {
    Map<Long, OutboxMessage> resolved = new HashMap<>();
    answers.forEach(answer -> answer.result().forEach(m -> resolved.put(m.id(), m)));
    return messages.stream().map(m -> resolved.getOrDefault(m.id(), m)).toList();
  }
}
