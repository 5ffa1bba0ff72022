package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who listens is told, and only that. */
class NoticesTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final Notice.Message MESSAGE =
      new Notice.Message(CommandClient.newCommandId(), "order", "o-1");

  private final Vertx vertx = Vertx.vertx();
  private final Watched watched = new Watched(vertx);
  private final List<JsonObject> onTheBus = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  @Test
  void a_notice_is_read_as_it_was_written() {
    Notice notice = new Notice(List.of(MESSAGE, new Notice.Message(UUID.randomUUID(), "", "")));

    assertThat(Notice.from(new JsonObject(notice.toJson().encode()))).isEqualTo(notice);
  }

  @Test
  void a_large_batch_becomes_several_notices() {
    List<Notice.Message> many =
        IntStream.range(0, 1_001)
            .mapToObj(i -> new Notice.Message(CommandClient.newCommandId(), "order", "o-" + i))
            .toList();

    List<Notice> notices = Notice.of(many);

    assertThat(notices).extracting(notice -> notice.messages().size()).containsExactly(500, 500, 1);
    assertThat(notices.stream().flatMap(notice -> notice.messages().stream())).isEqualTo(many);
  }

  @Test
  void who_listens_is_told_and_others_are_not() {
    List<Notice> told = new CopyOnWriteArrayList<>();
    Notices.Subscription orders = new Notices(vertx).published("orders", told::add);
    await().atMost(LIMIT).until(() -> watched.contains(Addresses.published("orders")));

    assertThat(watched.contains(Addresses.published("payments"))).isFalse();
    assertThat(watched.contains(Addresses.applied("orders"))).isFalse();
    watched.tell(Addresses.published("orders"), List.of(MESSAGE));
    await().atMost(LIMIT).until(() -> told.contains(new Notice(List.of(MESSAGE))));
    orders.close();
  }

  @Test
  void what_nobody_waits_for_is_not_sent() {
    String address = Addresses.published("orders");
    String other = Addresses.published("other");
    vertx.eventBus().<JsonObject>consumer(address, message -> onTheBus.add(message.body()));
    vertx.eventBus().<JsonObject>consumer(other, message -> onTheBus.add(message.body()));
    assertThat(watched.isEmpty()).isTrue();

    watched.tell(address, List.of(MESSAGE));
    vertx.eventBus().publish(Addresses.WATCH, Watched.toJson(other));
    await().atMost(LIMIT).until(() -> watched.contains(other));
    watched.tell(other, List.of());
    watched.tell(other, List.of(MESSAGE));

    await().atMost(LIMIT).until(() -> !onTheBus.isEmpty());
    assertThat(onTheBus).containsExactly(new Notice(List.of(MESSAGE)).toJson());
  }

  @Test
  void addresses_beyond_the_bound_are_not_remembered() {
    for (int i = 0; i <= Watched.ADDRESSES_MAX; i++) {
      vertx.eventBus().publish(Addresses.WATCH, Watched.toJson("address-" + i));
    }
    String last = "address-" + (Watched.ADDRESSES_MAX - 1);
    await().atMost(LIMIT).until(() -> watched.contains(last));
    assertThat(watched.contains("address-" + Watched.ADDRESSES_MAX)).isFalse();
  }
}
