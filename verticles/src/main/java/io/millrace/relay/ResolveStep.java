package io.millrace.relay;

import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.message.OutboxMessage;
import io.millrace.port.Resolver;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The step of a pass that fills late-bound payloads: one query a resolver and batch. */
final class ResolveStep {
  private final Map<String, Resolver> resolvers = new HashMap<>();

  ResolveStep(List<Resolver> resolvers) {
    resolvers.forEach(r -> this.resolvers.put(r.name(), r));
  }

  /** The same messages in the same order, with payloads that need nobody any more. */
  Future<List<OutboxMessage>> resolve(List<OutboxMessage> messages) {
    Map<String, List<OutboxMessage>> byResolver = new LinkedHashMap<>();
    for (OutboxMessage message : messages) {
      String name = message.resolver();
      if (name != null) {
        byResolver.computeIfAbsent(name, n -> new ArrayList<>()).add(message);
      }
    }
    if (byResolver.isEmpty()) {
      return Future.succeededFuture(messages);
    }
    List<Future<List<OutboxMessage>>> answers = new ArrayList<>();
    byResolver.forEach((name, theirs) -> answers.add(ask(name, theirs)));
    return Future.join(answers).map(all -> merge(messages, answers));
  }

  private Future<List<OutboxMessage>> ask(String name, List<OutboxMessage> messages) {
    @Nullable Resolver resolver = resolvers.get(name);
    if (resolver == null) {
      return Future.failedFuture(
          new Failure(
              FailureKind.MESSAGE,
              "message "
                  + messages.get(0).id()
                  + " names the resolver '"
                  + name
                  + "', this node has "
                  + resolvers.keySet(),
              null));
    }
    return resolver.resolve(messages);
  }

  private static List<OutboxMessage> merge(
      List<OutboxMessage> messages, List<Future<List<OutboxMessage>>> answers) {
    Map<Long, OutboxMessage> resolved = new HashMap<>();
    answers.forEach(answer -> answer.result().forEach(m -> resolved.put(m.id(), m)));
    return messages.stream().map(m -> resolved.getOrDefault(m.id(), m)).toList();
  }
}
