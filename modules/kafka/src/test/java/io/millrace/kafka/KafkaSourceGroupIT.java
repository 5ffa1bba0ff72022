package io.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.devstack.KafkaServer;
import io.millrace.devstack.KafkaSpec;
import io.millrace.port.Source.Assignment;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KafkaSourceGroupIT {
  private static KafkaServer kafka;
  private static Topics topics;

  private final String topic = "t-" + UUID.randomUUID();
  private final String group = "g-" + UUID.randomUUID();
  private final List<Member> members = new ArrayList<>();

  enum Protocol {
    EAGER(Map.of("partition.assignment.strategy", RangeAssignor.class.getName()), 2),
    COOPERATIVE(Map.of(), 1),
    CONSUMER(Map.of("group.protocol", "consumer"), 1);

    final Map<String, String> properties;

    /** Of two topic partitions, when a second member comes. */
    final int revoked;

    Protocol(Map<String, String> properties, int revoked) {
      this.properties = properties;
      this.revoked = revoked;
    }
  }

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

  @ParameterizedTest
  @EnumSource
  void the_next_owner_waits_until_what_runs_has_settled(Protocol protocol) {
    kafka.createTopic(topic, 2, Map.of());
    topics.write(topic, 0, 10);
    topics.write(topic, 1, 10);
    Member first = member(protocol.properties).readingAll().start();
    List<Assignment> before = first.awaitAssigned(2);
    await()
        .atMost(Member.LIMIT)
        .until(() -> before.stream().allMatch(each -> first.heard.records(each).size() == 10));
    Promise<Void> settled = Promise.promise();
    first.heard.whenRevoked = all -> settled.future();

    Member second = member(protocol.properties).readingAll().start();
    await().atMost(Member.LIMIT).until(() -> !first.heard.revoked.isEmpty());
    await()
        .during(Duration.ofSeconds(2))
        .atMost(Member.LIMIT)
        .until(second.heard.assigned::isEmpty);
    List<Assignment> revoked = List.copyOf(first.heard.revoked);
    assertThat(revoked).hasSize(protocol.revoked);
    revoked.forEach(each -> first.run(() -> first.source.report(each, 6)));
    first.run(settled::complete);

    Assignment kept = first.awaitAssigned();
    Assignment moved = second.awaitAssigned();
    // Not any more with what was reported while it settled.
    assertThat(topics.committed(group).get(topicPartition(moved)).offset()).isEqualTo(6);
    assertThat(before.contains(kept)).isEqualTo(protocol != Protocol.EAGER);
    topics.write(topic, 0, 5);
    topics.write(topic, 1, 5);
    await().atMost(Member.LIMIT).until(() -> second.heard.records(moved).size() == 15);
    await().atMost(Member.LIMIT).until(() -> first.heard.records(kept).size() == 15);
    assertThat(revoked).allMatch(each -> first.heard.records(each).size() == 10);
    assertThat(first.heard.lost).isEmpty();
    assertThat(first.heard.states).isEmpty();
  }

  private static TopicPartition topicPartition(Assignment assignment) {
    return new TopicPartition(assignment.topic(), assignment.topicPartition());
  }

  @ParameterizedTest
  @EnumSource
  void what_a_member_leaves_behind_is_assigned_to_the_other(Protocol protocol) {
    kafka.createTopic(topic, 2, Map.of());
    Member first = member(protocol.properties).readingAll().start();
    Member second = member(protocol.properties).readingAll().start();
    first.awaitAssigned(1);
    second.awaitAssigned(1);

    members.remove(first);
    first.close();
    assertThat(second.awaitAssigned(2)).doesNotHaveDuplicates();
    topics.write(topic, 0, 5);
    topics.write(topic, 1, 5);
    await()
        .atMost(Member.LIMIT)
        .until(
            () ->
                second.heard.held().stream()
                    .allMatch(each -> second.heard.records(each).size() == 5));
  }

  @Test
  void the_group_does_not_wait_for_ever() {
    kafka.createTopic(topic, 2, Map.of());
    // With it, two seconds.
    Map<String, String> hasty = Map.of("max.poll.interval.ms", "8000");
    Member first = member(hasty).start();
    first.awaitAssigned(2);
    first.heard.whenRevoked = all -> Promise.<Void>promise().future();

    Member second = member(hasty).start();
    second.awaitAssigned(1);
    assertThat(first.heard.lost).isEmpty();
    assertThat(first.heard.held()).hasSize(1);
  }

  @Test
  void a_member_that_still_waits_for_what_runs_can_be_closed() {
    kafka.createTopic(topic, 2, Map.of());
    Member first = member(Map.of()).start();
    first.awaitAssigned(2);
    first.heard.whenRevoked = all -> Promise.<Void>promise().future();
    Member second = member(Map.of()).start();
    await().atMost(Member.LIMIT).until(() -> !first.heard.revoked.isEmpty());

    long start = System.nanoTime();
    members.remove(first);
    first.close();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    second.awaitAssigned(2);
  }

  private Member member(Map<String, String> properties) {
    Member member = new Member(kafka.bootstrapServers(), group, properties, topic);
    members.add(member);
    return member;
  }
}
