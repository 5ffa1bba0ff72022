package io.millrace.kafka;

import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one consumer does when topic partitions come and go: called within its polls, and while it
 * is closed, on the poll thread. The group waits for as long as {@link #onPartitionsRevoked} does
 * not return.
 */
final class Rebalance implements ConsumerRebalanceListener {
  private static final Logger LOG = LoggerFactory.getLogger(Rebalance.class);

  private final PollThread thread;
  private final Consumer<byte[], byte[]> consumer;
  private final AssignmentTable table;
  private final ListenerSide side;
  private final ProgressReports reports;
  private final long revokeWaitMsMax;

  Rebalance(
      PollThread thread,
      Consumer<byte[], byte[]> consumer,
      AssignmentTable table,
      ListenerSide side,
      ProgressReports reports) {
    this.thread = thread;
    this.consumer = consumer;
    this.table = table;
    this.side = side;
    this.reports = reports;
    this.revokeWaitMsMax = thread.revokeWaitMsMax();
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> topicPartitions) {
    if (topicPartitions.isEmpty()) {
      return;
    }
    thread.undisturbed(
        () -> {
          List<HeldPartition> fresh = table.assign(consumer, topicPartitions);
          side.assigned(fresh);
        });
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> topicPartitions) {
    thread.undisturbed(() -> revoke(table.remove(topicPartitions)));
  }

  private void revoke(List<HeldPartition> revoked) {
    if (revoked.isEmpty()) {
      return;
    }
    if (!thread.await(side.revoked(revoked), revokeWaitMsMax)) {
      LOG.warn(
          "What runs of {} was not finished within {} ms and may run on beside the next owner",
          revoked,
          revokeWaitMsMax);
    }
    reports.commitLast(consumer, revoked);
  }

  @Override
  public void onPartitionsLost(Collection<TopicPartition> topicPartitions) {
    List<HeldPartition> lost = table.remove(topicPartitions);
    if (!lost.isEmpty()) {
      side.lost(lost);
    }
  }
}
