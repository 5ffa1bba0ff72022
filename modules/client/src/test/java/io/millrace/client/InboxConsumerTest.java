package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.inbox.Identity;
import io.millrace.core.inbox.ReceivedRecord;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class InboxConsumerTest {
  private static final InboxHandler NOTHING = (message, context) -> Future.succeededFuture();

  private static InboxConsumer named(String name, List<String> topics) {
    return InboxConsumer.of(name, topics, NOTHING);
  }

  private static List<InboxMessage> messages(int count) {
    return IntStream.range(0, count)
        .mapToObj(
            i ->
                new InboxMessage(
                    new Identity(new UUID(0, i), i),
                    new ReceivedRecord("t", 0, i, 0, 0, null, null, List.of())))
        .toList();
  }

  @Test
  void bad_values_are_refused_with_limit_and_value() {
    assertThatThrownBy(() -> named("a b", List.of("t"))).hasMessageContaining("found \"a b\"");
    assertThatThrownBy(() -> named("x".repeat(101), List.of("t"))).hasMessageContaining("1 to 100");
    assertThatThrownBy(() -> named("c", List.of())).hasMessageContaining("1 to 100, found 0");
    assertThatThrownBy(() -> named("c", List.of("t", "t"))).hasMessageContaining("must differ");
    assertThatThrownBy(() -> named("c", List.of("t")).withStripes(65))
        .hasMessageContaining("1 to 64, found 65");
  }

  @Test
  void a_handler_of_single_messages_gets_them_one_after_the_other() {
    List<Long> seen = new ArrayList<>();
    List<Promise<Void>> open = new ArrayList<>();
    InboxHandler handler =
        (message, context) -> {
          seen.add(message.record().offset());
          open.add(Promise.promise());
          return open.get(open.size() - 1).future();
        };
    Future<Void> all =
        InboxConsumer.of("c", List.of("t"), handler).handler().handle(messages(3), null);

    assertThat(seen).containsExactly(0L);
    open.get(0).complete();
    open.get(1).complete();
    assertThat(all.isComplete()).isFalse();
    open.get(2).complete();
    assertThat(seen).containsExactly(0L, 1L, 2L);
    assertThat(all.succeeded()).isTrue();
  }

  @Test
  void the_first_failure_ends_the_batch() {
    List<Long> seen = new ArrayList<>();
    RuntimeException failure = new MessageRefused("bad");
    InboxHandler handler =
        (message, context) -> {
          seen.add(message.record().offset());
          return message.record().offset() == 1
              ? Future.failedFuture(failure)
              : Future.succeededFuture();
        };
    Future<Void> all =
        InboxConsumer.of("c", List.of("t"), handler).handler().handle(messages(3), null);

    assertThat(all.cause()).isSameAs(failure);
    assertThat(seen).containsExactly(0L, 1L);
  }

  @Test
  void a_null_instead_of_a_future_is_a_failure() {
    InboxConsumer consumer = InboxConsumer.of("c", List.of("t"), (message, context) -> null);

    assertThat(consumer.handler().handle(messages(1), null).cause()).hasMessageContaining("null");
  }

  @Test
  void a_long_batch_needs_no_deep_stack() {
    InboxConsumer consumer = named("c", List.of("t"));
    List<InboxMessage> many = Collections.nCopies(200_000, messages(1).get(0));

    assertThat(consumer.handler().handle(many, null).succeeded()).isTrue();
  }
}
