package io.millrace.kafka;

import io.millrace.core.inbox.ReceivedRecord;
import io.millrace.port.Source.Assignment;
import io.millrace.port.Source.Listener;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;

/** Keeps what a source tells, for a test's thread to look at. */
final class RecordingListener implements Listener {
  final List<Assignment> assigned = new CopyOnWriteArrayList<>();
  final List<Assignment> revoked = new CopyOnWriteArrayList<>();
  final List<Assignment> lost = new CopyOnWriteArrayList<>();
  final Map<Assignment, List<ReceivedRecord>> received = new ConcurrentHashMap<>();
  final Map<Assignment, String> outOfRange = new ConcurrentHashMap<>();

  /** The text of a failure, or "works". */
  final List<String> states = new CopyOnWriteArrayList<>();

  volatile Consumer<Assignment> whenAssigned = assignment -> {};
  volatile Consumer<Assignment> whenReceived = assignment -> {};
  volatile Function<List<Assignment>, Future<Void>> whenRevoked = all -> Future.succeededFuture();

  @Override
  public void assigned(List<Assignment> assignments) {
    assigned.addAll(assignments);
    assignments.forEach(whenAssigned);
  }

  @Override
  public Future<Void> revoked(List<Assignment> assignments) {
    revoked.addAll(assignments);
    return whenRevoked.apply(assignments);
  }

  @Override
  public void lost(List<Assignment> assignments) {
    lost.addAll(assignments);
  }

  @Override
  public void received(Assignment assignment, List<ReceivedRecord> records) {
    whenReceived.accept(assignment);
    received.computeIfAbsent(assignment, unseen -> new CopyOnWriteArrayList<>()).addAll(records);
  }

  @Override
  public void outOfRange(Assignment assignment, String reason) {
    outOfRange.put(assignment, reason);
  }

  @Override
  public void state(Throwable failure) {
    states.add(failure == null ? "works" : failure.getMessage());
  }

  List<ReceivedRecord> records(Assignment assignment) {
    return received.getOrDefault(assignment, List.of());
  }

  List<Long> offsets(Assignment assignment) {
    return records(assignment).stream().map(ReceivedRecord::offset).toList();
  }

  /** Those that it has been told of, and not yet that they are over. */
  List<Assignment> held() {
    return assigned.stream()
        .filter(each -> !revoked.contains(each) && !lost.contains(each))
        .toList();
  }
}
