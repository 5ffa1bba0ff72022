package io.millrace.example.payment.check;

import io.millrace.example.payment.PaymentsNode;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/** What the broker says: where the topic partitions end, and who reads them. */
final class GroupWatch implements AutoCloseable {
  private static final long WAIT_S = 15;

  private final Admin admin;
  private Map<String, Set<TopicPartition>> assignments = Map.of();
  private int rebalances;

  GroupWatch(String bootstrapServers) {
    this.admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers));
  }

  /** How often the group was seen with other members or another assignment than before. */
  int rebalances() {
    return rebalances;
  }

  void look() throws ExecutionException, InterruptedException, TimeoutException {
    Map<String, Set<TopicPartition>> now = new HashMap<>();
    for (MemberDescription member : members()) {
      now.put(member.consumerId(), member.assignment().topicPartitions());
    }
    if (!now.equals(assignments)) {
      assignments = now;
      rebalances++;
    }
  }

  private Collection<MemberDescription> members()
      throws ExecutionException, InterruptedException, TimeoutException {
    try {
      return admin
          .describeConsumerGroups(List.of(PaymentsNode.CONSUMER))
          .all()
          .get(WAIT_S, TimeUnit.SECONDS)
          .values()
          .stream()
          .flatMap(group -> group.members().stream())
          .toList();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof GroupIdNotFoundException) {
        return List.of(); // nobody has joined yet
      }
      throw e;
    }
  }

  /** The offset behind the last record of each topic partition. */
  Map<Integer, Long> ends() throws ExecutionException, InterruptedException, TimeoutException {
    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
    for (int p = 0; p < EventProducer.TOPIC_PARTITIONS; p++) {
      asked.put(new TopicPartition(PaymentsNode.TOPIC, p), OffsetSpec.latest());
    }
    Map<Integer, Long> ends = new HashMap<>();
    admin
        .listOffsets(asked)
        .all()
        .get(WAIT_S, TimeUnit.SECONDS)
        .forEach((partition, found) -> ends.put(partition.partition(), found.offset()));
    return ends;
  }

  @Override
  public void close() {
    admin.close();
  }
}
