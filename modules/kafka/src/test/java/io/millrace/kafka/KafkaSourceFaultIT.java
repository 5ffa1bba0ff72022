package io.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.devstack.KafkaServer;
import io.millrace.devstack.KafkaSpec;
import io.millrace.port.Source.Assignment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KafkaSourceFaultIT {
  private static KafkaServer kafka;
  private static Topics topics;

  private final String topic = "t-" + UUID.randomUUID();
  private final String group = "g-" + UUID.randomUUID();
  private final List<Member> members = new ArrayList<>();

  @BeforeAll
  static void startKafka() {
    kafka =
        KafkaServer.start(
            KafkaSpec.defaults()
                .withSettings(
                    Map.of(
                        "authorizer.class.name",
                        "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                        "allow.everyone.if.no.acl.found",
                        "true")));
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
  @ValueSource(strings = {"classic", "consumer"})
  void after_a_killed_broker_has_come_back_reading_goes_on_by_itself(String protocol) {
    kafka.createTopic(topic, 1, Map.of());
    topics.write(topic, 0, 10);
    Member member = member(Map.of("group.protocol", protocol), topic).readingAll().start();
    Assignment assignment = member.awaitAssigned();
    await().atMost(Member.LIMIT).until(() -> member.heard.records(assignment).size() == 10);
    kafka.kill();
    kafka.restart();
    topics.write(topic, 0, 10);

    await()
        .atMost(Member.LIMIT)
        .until(
            () ->
                member.heard.held().stream()
                    .anyMatch(each -> member.heard.records(each).size() == 20));
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void a_source_that_starts_while_the_broker_is_away_reads_when_it_comes(String protocol) {
    kafka.createTopic(topic, 1, Map.of());
    topics.write(topic, 0, 10);
    kafka.kill();
    Member member = member(Map.of("group.protocol", protocol), topic).readingAll().start();
    kafka.restart();

    Assignment assignment = member.awaitAssigned();
    await().atMost(Member.LIMIT).until(() -> member.heard.records(assignment).size() == 10);
    assertThat(member.heard.states).isEmpty();
  }

  @Test
  void a_source_can_be_closed_while_the_broker_is_away() {
    kafka.createTopic(topic, 1, Map.of());
    Member member = member(Map.of(), topic).readingAll().start();
    Assignment assignment = member.awaitAssigned();
    member.run(() -> member.source.report(assignment, 3));
    kafka.kill();
    long start = System.nanoTime();
    try {
      member.loop.await(member.source::close);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(9));
    } finally {
      kafka.restart();
    }
  }

  /** The epoch before the restart ended at 20; what follows was written by its successor. */
  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void a_log_that_was_truncated_is_told_when_the_epoch_is_given(String protocol) {
    kafka.createTopic(topic, 1, Map.of());
    topics.write(topic, 0, 20);
    kafka.kill();
    kafka.restart();
    topics.write(topic, 0, 10);
    Member member = member(Map.of("group.protocol", protocol), topic).readingAll().start();
    Assignment assignment = member.awaitAssigned();
    await().atMost(Member.LIMIT).until(() -> member.heard.records(assignment).size() == 30);
    int epoch = member.heard.records(assignment).get(0).leaderEpoch();
    assertThat(member.heard.records(assignment).get(29).leaderEpoch()).isGreaterThan(epoch);

    member.run(() -> member.source.begin(assignment, 25, epoch));
    await().atMost(Member.LIMIT).until(() -> member.heard.outOfRange.containsKey(assignment));
    assertThat(member.heard.outOfRange.get(assignment)).contains("25", "truncated", "20");
    assertThat(member.heard.records(assignment)).hasSize(30);
    member.run(() -> member.source.begin(assignment, 20, epoch));
    await().atMost(Member.LIMIT).until(() -> member.heard.records(assignment).size() == 40);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void a_forbidden_group_is_told_once_and_read_when_it_is_allowed(String protocol) {
    kafka.createTopic(topic, 1, Map.of());
    topics.write(topic, 0, 10);
    AclBinding forbidden = forbid(ResourceType.GROUP, group);
    Member member = member(Map.of("group.protocol", protocol), topic).readingAll().start();

    await().atMost(Member.LIMIT).until(() -> !member.heard.states.isEmpty());
    await()
        .during(Duration.ofSeconds(4))
        .atMost(Member.LIMIT)
        .until(() -> member.heard.states.size() == 1);
    assertThat(member.heard.states.get(0)).contains(group, "GroupAuthorizationException");
    allow(forbidden);
    Assignment assignment = member.awaitAssigned();
    await().atMost(Member.LIMIT).until(() -> member.heard.records(assignment).size() == 10);
    await().atMost(Member.LIMIT).until(() -> member.heard.states.size() == 2);
    assertThat(member.heard.states.get(1)).isEqualTo("works");
  }

  /** If it may still be described, every fetch of it fails; if not, the client forgets it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_forbidden_topic_does_not_hold_up_another_one(boolean mayBeDescribed) {
    String other = topic + "-other";
    kafka.createTopic(topic, 1, Map.of());
    kafka.createTopic(other, 1, Map.of());
    // Each batch needs a fetch of its own.
    Map<String, String> narrow = Map.of("max.partition.fetch.bytes", "1");
    Member member = member(narrow, topic, other).readingAll().start();
    List<Assignment> assignments = member.awaitAssigned(2);
    if (mayBeDescribed) {
      rule(ResourceType.TOPIC, topic, AclOperation.DESCRIBE, AclPermissionType.ALLOW);
    }
    AclBinding forbidden = forbid(ResourceType.TOPIC, topic);
    await().atMost(Member.LIMIT).until(() -> !member.heard.states.isEmpty());
    assertThat(member.heard.states.get(0)).contains("TopicAuthorizationException", topic);

    topics.writeSingly(other, 0, 100);
    await().atMost(Duration.ofSeconds(10)).until(() -> read(member, assignments, other) == 100);
    allow(forbidden);
    rule(ResourceType.TOPIC, topic, AclOperation.ALL, AclPermissionType.ALLOW);
    topics.write(topic, 0, 10);
    await().atMost(Member.LIMIT).until(() -> read(member, assignments, topic) == 10);
    await().atMost(Member.LIMIT).until(() -> member.heard.states.contains("works"));
    assertThat(member.heard.assigned).containsExactlyInAnyOrderElementsOf(assignments);
  }

  private static long read(Member member, List<Assignment> assignments, String topic) {
    return assignments.stream()
        .filter(each -> each.topic().equals(topic))
        .mapToLong(each -> member.heard.records(each).size())
        .sum();
  }

  @Test
  void a_member_whose_name_another_has_taken_comes_back_with_a_fresh_consumer() {
    kafka.createTopic(topic, 1, Map.of());
    topics.write(topic, 0, 10);
    Map<String, String> named = Map.of("group.instance.id", "one");
    Member member = member(named, topic).readingAll().start();
    Assignment before = member.awaitAssigned();
    try (KafkaConsumer<byte[], byte[]> thief = other(named, topic)) {
      await().atMost(Member.LIMIT).until(() -> failed(member, thief));
    }

    Assignment after = member.awaitAssigned();
    assertThat(member.heard.lost).containsExactly(before);
    await().atMost(Member.LIMIT).until(() -> member.heard.records(after).size() == 10);
    await().atMost(Member.LIMIT).until(() -> member.heard.states.contains("works"));
  }

  private static boolean failed(Member member, KafkaConsumer<byte[], byte[]> other) {
    other.poll(Duration.ofMillis(50));
    return !member.heard.states.isEmpty();
  }

  /** The newer protocol refuses the second one, for good; only a fresh consumer can try again. */
  @Test
  void a_member_that_was_refused_for_its_name_joins_when_the_name_is_free() {
    kafka.createTopic(topic, 1, Map.of());
    topics.write(topic, 0, 10);
    Map<String, String> named = Map.of("group.instance.id", "one", "group.protocol", "consumer");
    Member member = member(named, topic).readingAll();
    try (KafkaConsumer<byte[], byte[]> owner = other(named, topic)) {
      await()
          .atMost(Member.LIMIT)
          .until(
              () -> {
                owner.poll(Duration.ofMillis(50));
                return !owner.assignment().isEmpty();
              });
      member.start();
      await().atMost(Member.LIMIT).until(() -> failed(member, owner));
    }

    Assignment assignment = member.awaitAssigned();
    await().atMost(Member.LIMIT).until(() -> member.heard.records(assignment).size() == 10);
    assertThat(member.heard.states.get(0)).contains("UnreleasedInstanceId");
  }

  private KafkaConsumer<byte[], byte[]> other(Map<String, String> properties, String topic) {
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    Map<String, Object> all = new HashMap<>(properties);
    all.put("bootstrap.servers", kafka.bootstrapServers());
    all.put("group.id", group);
    all.put("auto.offset.reset", "latest");
    KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(all, bytes, bytes);
    consumer.subscribe(List.of(topic));
    return consumer;
  }

  /**
   * The classic protocol assigns it anew; the newer one lets the member go on, whose position is
   * not there then.
   */
  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void a_topic_that_is_made_anew_under_way_is_noticed_and_can_be_read_from_its_beginning(
      String protocol) {
    kafka.createTopic(topic, 1, Map.of());
    topics.write(topic, 0, 10);
    Member member =
        member(Map.of("group.protocol", protocol, "metadata.max.age.ms", "1000"), topic);
    member.readingAll().start();
    Assignment before = member.awaitAssigned();
    await().atMost(Member.LIMIT).until(() -> member.heard.records(before).size() == 10);
    topics.recreate(kafka, topic, 1);

    await()
        .atMost(Member.LIMIT)
        .until(
            () ->
                member.heard.outOfRange.containsKey(before)
                    || member.heard.held().stream().anyMatch(each -> !each.equals(before)));
    Assignment now = member.awaitAssigned();
    member.heard.received.clear();
    member.begin(now, 0);
    topics.write(topic, 0, 5);
    await().atMost(Member.LIMIT).until(() -> member.heard.records(now).size() == 5);
    assertThat(member.heard.offsets(now)).containsExactly(0L, 1L, 2L, 3L, 4L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void an_epoch_that_the_broker_never_had_is_told_and_does_no_lasting_harm(String protocol) {
    kafka.createTopic(topic, 1, Map.of());
    topics.write(topic, 0, 10);
    Member member = member(Map.of("group.protocol", protocol), topic).start();
    Assignment assignment = member.awaitAssigned();

    member.run(() -> member.source.begin(assignment, 3, 77));
    await().atMost(Member.LIMIT).until(() -> member.heard.outOfRange.containsKey(assignment));
    assertThat(member.heard.outOfRange.get(assignment)).contains("77", topic);
    member.begin(assignment, 3);
    await().atMost(Member.LIMIT).until(() -> member.heard.records(assignment).size() == 7);
    int epoch = member.heard.records(assignment).get(0).leaderEpoch();
    member.run(() -> member.source.begin(assignment, 8, epoch));
    await().atMost(Member.LIMIT).until(() -> member.heard.records(assignment).size() == 9);
  }

  private static AclBinding forbid(ResourceType type, String name) {
    return rule(type, name, AclOperation.READ, AclPermissionType.DENY);
  }

  private static AclBinding rule(
      ResourceType type, String name, AclOperation operation, AclPermissionType permission) {
    AclBinding binding =
        new AclBinding(
            new ResourcePattern(type, name, PatternType.LITERAL),
            new AccessControlEntry("User:ANONYMOUS", "*", operation, permission));
    topics.ask(admin -> admin.createAcls(List.of(binding)).all());
    return binding;
  }

  private static void allow(AclBinding forbidden) {
    topics.ask(admin -> admin.deleteAcls(List.of(forbidden.toFilter())).all());
  }

  private Member member(Map<String, String> properties, String... names) {
    Member member = new Member(kafka.bootstrapServers(), group, properties, names);
    members.add(member);
    return member;
  }
}
