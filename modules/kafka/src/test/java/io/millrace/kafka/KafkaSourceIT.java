package io.millrace.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.core.failure.Failure;
import io.millrace.core.failure.FailureKind;
import io.millrace.core.inbox.ReceivedRecord;
import io.millrace.core.inbox.RecordHeader;
import io.millrace.core.message.Payload;
import io.millrace.devstack.KafkaServer;
import io.millrace.devstack.KafkaSpec;
import io.millrace.port.Source.Assignment;
import io.millrace.port.Source.OffsetRange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class KafkaSourceIT {
  private static KafkaServer kafka;
  private static Topics topics;

  private final String topic = "t-" + UUID.randomUUID();
  private final String group = "g-" + UUID.randomUUID();
  private final List<Member> members = new ArrayList<>();

  @BeforeAll
  static void startKafka() {
    kafka = KafkaServer.start(KafkaSpec.defaults());
    topics = new Topics(kafka.bootstrapServers());
  }

  @AfterAll
  static void stopKafka() {
    kafka.close();
  }

  @AfterEach
  void closeMembers() {
    members.forEach(Member::close);
  }

  @Test
  void reading_begins_at_the_given_offset_and_keeps_the_order() {
    kafka.createTopic(topic, 1, Map.of());
    topics.write(topic, 0, 3_000);
    Member member = member(Map.of()).start();
    Assignment assignment = member.awaitAssigned();

    member.begin(assignment, 700);
    await().atMost(Member.LIMIT).until(() -> member.heard.records(assignment).size() == 2_300);
    assertThat(member.heard.offsets(assignment)).containsExactlyElementsOf(range(700, 3_000));
    topics.write(topic, 0, 1);
    await().atMost(Member.LIMIT).until(() -> member.heard.records(assignment).size() == 2_301);
  }

  @Test
  void nothing_is_delivered_before_begin() {
    kafka.createTopic(topic, 2, Map.of());
    topics.write(topic, 0, 10);
    topics.write(topic, 1, 10);
    Member member = member(Map.of()).start();
    List<Assignment> assignments = member.awaitAssigned(2);

    member.begin(assignments.get(1), 0);
    await().atMost(Member.LIMIT).until(() -> member.heard.records(assignments.get(1)).size() == 10);
    // Of the same topic, and ready to be read for just as long.
    assertThat(member.heard.records(assignments.get(0))).isEmpty();
    assertThat(member.heard.states).isEmpty();
    assertThat(member.heard.outOfRange).isEmpty();
    assertThat(lag(member, assignments.get(0))).isEmpty();
  }

  @Test
  void bytes_arrive_as_they_are() {
    kafka.createTopic(topic, 1, Map.of());
    byte[] binary = {0, (byte) 0xff, (byte) 0xc3, 0x28};
    RecordHeaders headers = new RecordHeaders();
    headers.add("h", null).add("h", new byte[0]).add("h", binary).add("t", "ü".getBytes(UTF_8));
    topics.write(
        List.of(
            new ProducerRecord<>(topic, 0, 1_234L, binary, binary, headers),
            new ProducerRecord<>(topic, 0, 1_235L, null, null, List.of()),
            new ProducerRecord<>(topic, 0, 1_236L, new byte[0], new byte[0])));
    Member member = member(Map.of()).readingAll().start();
    Assignment assignment = member.awaitAssigned();

    await().atMost(Member.LIMIT).until(() -> member.heard.records(assignment).size() == 3);
    Payload bytes = Payload.of(binary);
    Payload empty = Payload.of(new byte[0]);
    assertThat(member.heard.records(assignment))
        .containsExactly(
            new ReceivedRecord(
                topic,
                0,
                0,
                0,
                1_234,
                bytes,
                bytes,
                List.of(
                    new RecordHeader("h", null),
                    new RecordHeader("h", empty),
                    new RecordHeader("h", bytes),
                    new RecordHeader("t", Payload.of("ü")))),
            new ReceivedRecord(topic, 0, 1, 0, 1_235, null, null, List.of()),
            new ReceivedRecord(topic, 0, 2, 0, 1_236, empty, empty, List.of()));
  }

  @Test
  void a_pause_longer_than_the_poll_interval_holds_records_back_and_keeps_the_membership() {
    kafka.createTopic(topic, 1, Map.of());
    Map<String, String> hasty =
        Map.of("max.poll.interval.ms", "3000", "session.timeout.ms", "6000");
    Member member = member(hasty).start();
    Assignment assignment = member.awaitAssigned();
    member.run(
        () -> {
          member.source.begin(assignment, 0, -1);
          member.source.pause(assignment);
        });
    topics.write(topic, 0, 100);

    await()
        .during(Duration.ofSeconds(5))
        .atMost(Member.LIMIT)
        .until(() -> member.heard.records(assignment).isEmpty() && topics.members(group) == 1);
    member.run(() -> member.source.resume(assignment));
    await().atMost(Member.LIMIT).until(() -> member.heard.records(assignment).size() == 100);
    assertThat(member.heard.assigned).containsExactly(assignment);
    assertThat(member.heard.lost).isEmpty();
    assertThat(member.heard.revoked).isEmpty();
  }

  @Test
  void going_back_drops_what_was_on_its_way() {
    kafka.createTopic(topic, 1, Map.of());
    topics.write(topic, 0, 2_000);
    Member member = member(Map.of("max.poll.records", "50"));
    List<Integer> turns = new ArrayList<>();
    member.heard.whenReceived =
        assignment -> {
          // What follows in this turn of the context was polled before.
          if (turns.size() < 20) {
            turns.add(member.heard.records(assignment).size());
            member.source.begin(assignment, 0, -1);
          }
        };
    member.readingAll().start();
    Assignment assignment = member.awaitAssigned();

    await().atMost(Member.LIMIT).until(() -> member.heard.offsets(assignment).contains(1_999L));
    List<Long> offsets = member.heard.offsets(assignment);
    // Each delivery that was heard before a begin is the first of its reading.
    for (int i = 0; i < 20; i++) {
      assertThat(offsets.get(turns.get(i))).as("delivery %d", i).isZero();
    }
    int last = offsets.lastIndexOf(0L);
    assertThat(offsets.subList(last, offsets.size())).containsExactlyElementsOf(range(0, 2_000));
  }

  @Test
  void an_offset_that_is_not_there_is_told_and_others_are_read_on() {
    kafka.createTopic(topic, 3, Map.of());
    for (int topicPartition = 0; topicPartition < 3; topicPartition++) {
      topics.write(topic, topicPartition, 20);
    }
    topics.deleteBelow(topic, 1, 10);
    Member member = member(Map.of()).start();
    List<Assignment> assignments = member.awaitAssigned(3);
    Assignment beyond = assignments.get(0);
    Assignment below = assignments.get(1);
    Assignment good = assignments.get(2);

    member.begin(beyond, 50);
    member.begin(below, 3);
    member.begin(good, 0);
    await().atMost(Member.LIMIT).until(() -> member.heard.outOfRange.size() == 2);
    assertThat(member.heard.outOfRange.get(beyond)).contains(topic + "-0", "50");
    assertThat(member.heard.outOfRange.get(below)).contains(topic + "-1", "3");
    topics.write(topic, 2, 5);
    await().atMost(Member.LIMIT).until(() -> member.heard.records(good).size() == 25);
    assertThat(member.heard.records(beyond)).isEmpty();

    OffsetRange there = member.loop.await(() -> member.source.offsets(below));
    assertThat(there).isEqualTo(new OffsetRange(10, 20));
    member.begin(below, there.beginning());
    await().atMost(Member.LIMIT).until(() -> member.heard.records(below).size() == 10);
    assertThat(member.heard.states).isEmpty();
  }

  @Test
  void the_lag_is_known_while_it_is_read() {
    kafka.createTopic(topic, 1, Map.of());
    // More than can be on its way before the pause is followed.
    topics.write(topic, 0, 400);
    Member member = member(Map.of("max.poll.records", "10")).start();
    Assignment assignment = member.awaitAssigned();
    assertThat(member.loop.call(() -> member.source.lag(assignment))).isEmpty();
    member.heard.whenReceived = member.source::pause;

    member.begin(assignment, 0);
    await().atMost(Member.LIMIT).until(() -> lag(member, assignment).orElse(0) > 0);
    member.heard.whenReceived = any -> {};
    member.run(() -> member.source.resume(assignment));
    await().atMost(Member.LIMIT).until(() -> lag(member, assignment).equals(OptionalLong.of(0)));
  }

  private static OptionalLong lag(Member member, Assignment assignment) {
    return member.loop.call(() -> member.source.lag(assignment));
  }

  @Test
  void what_is_reported_is_committed_for_others_to_see() {
    kafka.createTopic(topic, 1, Map.of());
    topics.write(topic, 0, 40);
    Member member = member(Map.of()).start();
    Assignment assignment = member.awaitAssigned();

    member.run(() -> member.source.report(assignment, 7));
    await().atMost(Member.LIMIT).until(() -> committed() == 7);
    member.run(() -> member.source.report(assignment, 9));
    member.run(() -> member.source.report(assignment, 12));
    members.remove(member);
    member.close();
    assertThat(committed()).isEqualTo(12);

    // Nobody begins there by himself.
    Member next = member(Map.of()).start();
    Assignment again = next.awaitAssigned();
    next.begin(again, 38);
    await().atMost(Member.LIMIT).until(() -> next.heard.offsets(again).equals(List.of(38L, 39L)));
  }

  private long committed() {
    var committed = topics.committed(group).get(new TopicPartition(topic, 0));
    return committed == null ? -1 : committed.offset();
  }

  @Test
  void a_topic_that_is_not_there_yet_is_read_when_it_comes() {
    kafka.createTopic(topic, 1, Map.of());
    String later = topic + "-later";
    Member member = new Member(kafka.bootstrapServers(), group, Map.of(), topic, later);
    members.add(member);
    member.readingAll().start();
    member.awaitAssigned();

    kafka.createTopic(later, 1, Map.of());
    topics.write(later, 0, 3);
    await()
        .atMost(Member.LIMIT)
        .until(
            () ->
                member.heard.held().stream()
                    .anyMatch(
                        each ->
                            each.topic().equals(later) && member.heard.records(each).size() == 3));
    assertThat(member.heard.states).isEmpty();
  }

  @Test
  void offsets_of_a_topic_that_is_gone_fail_with_a_kind() {
    kafka.createTopic(topic, 1, Map.of());
    Member member = member(Map.of()).start();
    Assignment missing = new Assignment(topic + "-not-there", 0, 1);

    assertThatThrownBy(() -> member.loop.await(() -> member.source.offsets(missing)))
        .cause()
        .hasMessageContaining(missing.topic())
        .asInstanceOf(InstanceOfAssertFactories.type(Failure.class))
        .extracting(Failure::kind)
        .isEqualTo(FailureKind.TOPIC);
  }

  @Test
  void closing_leaves_the_group_and_no_thread_and_tells_nothing_more() {
    kafka.createTopic(topic, 1, Map.of());
    topics.write(topic, 0, 10);
    Member member = member(Map.of()).readingAll().start();
    Assignment assignment = member.awaitAssigned();
    await().atMost(Member.LIMIT).until(() -> member.heard.records(assignment).size() == 10);
    assertThat(threads()).hasSize(1);

    member.loop.await(member.source::close);
    assertThat(threads()).isEmpty();
    assertThat(topics.members(group)).isZero();
    assertThat(member.heard.revoked).isEmpty();
    assertThat(member.heard.lost).isEmpty();
    member.loop.await(member.source::close);
  }

  @Test
  void a_source_that_was_never_started_can_be_closed() {
    Member member = member(Map.of());

    member.loop.await(member.source::close);
    assertThatThrownBy(() -> member.loop.await(() -> member.source.start(member.heard)))
        .hasMessageContaining("starts once");
  }

  private List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(("millrace-inbox-" + group)::equals)
        .toList();
  }

  private static List<Long> range(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  private Member member(Map<String, String> properties) {
    Member member = new Member(kafka.bootstrapServers(), group, properties, topic);
    members.add(member);
    return member;
  }
}
