package io.millrace.writer;

import static io.millrace.writer.AppDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Addresses;
import io.millrace.client.Nudge;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NudgeDebouncerTest {
  private static final long NEVER_MS = 3_600_000;

  private final Vertx vertx = Vertx.vertx();
  private final List<Set<Integer>> received = new CopyOnWriteArrayList<>();

  @BeforeEach
  void listen() {
    await(
        vertx
            .eventBus()
            .<JsonObject>consumer(
                Addresses.NUDGE, message -> received.add(Nudge.from(message.body()).shards()))
            .completion());
  }

  @AfterEach
  void close() {
    await(vertx.close());
  }

  @Test
  void the_shards_of_many_commits_leave_in_one_message() {
    NudgeDebouncer debouncer = new NudgeDebouncer(vertx, 50);
    onContext(
        () -> {
          for (int i = 0; i < 100; i++) {
            debouncer.add(new Nudge(Set.of(i % 10)));
          }
        });

    awaitReceived(1);
    assertThat(received.get(0)).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
  }

  @Test
  void what_comes_after_a_message_leaves_in_the_next_one() {
    NudgeDebouncer debouncer = new NudgeDebouncer(vertx, 1);
    onContext(() -> debouncer.add(new Nudge(Set.of(1))));
    awaitReceived(1);
    onContext(() -> debouncer.add(new Nudge(Set.of(2))));
    awaitReceived(2);

    assertThat(received).containsExactly(Set.of(1), Set.of(2));
  }

  @Test
  void without_a_delay_each_leaves_at_once() {
    NudgeDebouncer debouncer = new NudgeDebouncer(vertx, 0);
    onContext(
        () -> {
          debouncer.add(new Nudge(Set.of(1)));
          debouncer.add(new Nudge(Set.of(2)));
        });

    awaitReceived(2);
    assertThat(received).containsExactly(Set.of(1), Set.of(2));
  }

  @Test
  void a_flush_sends_what_was_gathered_and_an_empty_one_sends_nothing() {
    NudgeDebouncer debouncer = new NudgeDebouncer(vertx, NEVER_MS);
    onContext(
        () -> {
          debouncer.flush();
          debouncer.add(new Nudge(Set.of()));
          debouncer.add(new Nudge(Set.of(7)));
          debouncer.flush();
          debouncer.flush();
          debouncer.add(new Nudge(Set.of(8)));
          debouncer.flush();
        });

    awaitReceived(2);
    assertThat(received).containsExactly(Set.of(7), Set.of(8));
  }

  private void onContext(Runnable work) {
    vertx.runOnContext(v -> work.run());
  }

  private void awaitReceived(int count) {
    Awaitility.await().atMost(10, TimeUnit.SECONDS).until(() -> received.size() >= count);
  }
}
