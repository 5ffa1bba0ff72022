package io.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.inbox.ReceivedRecord;
import io.vertx.core.Context;
import io.vertx.core.Future;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the poll thread has told, but the context has not heard yet. */
class ListenerSideTest {
  private static final List<ReceivedRecord> RECORDS =
      List.of(new ReceivedRecord("t", 0, 0, -1, 0, null, null, List.of()));

  private final EventLoop loop = new EventLoop();
  private final RecordingListener heard = new RecordingListener();
  private final HeldPartition partition = new HeldPartition(new TopicPartition("t", 0), 1);
  private Context context;
  private ListenerSide side;

  @BeforeEach
  void makeSide() {
    context = loop.call(() -> loop.vertx().getOrCreateContext());
    side = new ListenerSide(context, heard);
    side.assigned(List.of(partition));
    onContext(() -> begin(0));
    partition.follows(partition.wish());
  }

  @AfterEach
  void close() {
    loop.close();
  }

  @Test
  void what_was_read_for_the_newest_begin_is_heard() {
    side.received(partition, RECORDS);
    settled();
    assertThat(heard.records(partition.assignment())).isEqualTo(RECORDS);
  }

  @Test
  void a_begin_drops_what_was_read_before_it_and_is_still_to_be_heard() {
    onContext(
        () -> {
          side.received(partition, RECORDS);
          side.outOfRange(partition, partition.followed(), "far away");
          begin(7);
        });
    settled();
    assertThat(heard.received).isEmpty();
    assertThat(heard.outOfRange).isEmpty();

    // Nor does it count as long as the poll thread has not followed.
    side.received(partition, RECORDS);
    settled();
    assertThat(heard.received).isEmpty();
  }

  @Test
  void what_is_not_heard_yet_when_the_topic_partition_goes_is_dropped() {
    onContext(
        () -> {
          side.received(partition, RECORDS);
          side.outOfRange(partition, partition.followed(), "far away");
          partition.end();
          side.lost(List.of(partition));
        });
    settled();
    assertThat(heard.received).isEmpty();
    assertThat(heard.outOfRange).isEmpty();
    assertThat(heard.lost).containsExactly(partition.assignment());
    assertThat(loop.call(() -> side.find(partition.assignment()) == null)).isTrue();
  }

  @Test
  void a_listener_that_does_not_hear_makes_it_full_and_room_is_told() {
    AtomicInteger rooms = new AtomicInteger();
    side.whenRoom(rooms::incrementAndGet);
    onContext(
        () -> {
          for (int i = 0; i < 3; i++) {
            side.received(partition, RECORDS);
          }
          assertThat(side.isFull()).isFalse();
          side.received(partition, RECORDS);
          assertThat(side.isFull()).isTrue();
        });
    settled();
    assertThat(side.isFull()).isFalse();
    assertThat(rooms).hasValue(1);
  }

  @Test
  void a_closed_side_tells_nothing_more_not_even_what_was_on_its_way() {
    onContext(
        () -> {
          side.received(partition, RECORDS);
          side.close();
          side.state(new IllegalStateException("x"));
        });
    settled();
    assertThat(heard.received).isEmpty();
    assertThat(heard.states).isEmpty();
  }

  @Test
  void a_listener_that_fails_to_settle_does_not_stop_the_group() throws Exception {
    heard.whenRevoked = all -> Future.failedFuture(new IllegalStateException("not settled"));
    assertThat(side.revoked(List.of(partition)).get(10, TimeUnit.SECONDS)).isNull();
    heard.whenRevoked =
        all -> {
          throw new IllegalStateException("thrown");
        };
    CompletableFuture<Void> settled = side.revoked(List.of(partition));
    assertThat(settled.get(10, TimeUnit.SECONDS)).isNull();
  }

  @Test
  void a_side_whose_event_loop_has_ended_is_closed() {
    loop.close();

    side.received(partition, RECORDS);
    assertThat(side.isClosed()).isTrue();
  }

  private void begin(long offset) {
    partition.beginAt(partition.begin(), new OffsetAndMetadata(offset));
  }

  private void onContext(Runnable calls) {
    loop.call(
        () -> {
          calls.run();
          return true;
        });
  }

  /** Everything that was posted before has been heard. */
  private void settled() {
    onContext(() -> {});
  }
}
