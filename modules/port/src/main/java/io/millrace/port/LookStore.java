package io.millrace.port;

import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Looking for single messages, nodes and replays, by page. No method loads a table. */
public interface LookStore {
  /**
   * A page of the parked messages.
   *
   * @param after behind which position; 0: from the first
   * @param limit how many at most
   */
  Future<ParkedPage> parked(ParkedFilter filter, long after, int limit);

  /**
   * One parked message; empty: there is none at this position.
   *
   * @param payloadBytesMax how much of its payload to bring
   */
  Future<Optional<ParkedContent>> parked(long id, int payloadBytesMax);

  /**
   * Where a message is.
   *
   * @param withinMs how long before or after its id was minted it may have been appended, in
   *     milliseconds
   */
  Future<MessageTrace> find(UUID messageId, long withinMs);

  /**
   * The registered nodes, by name.
   *
   * @param limit how many at most
   */
  Future<List<NodeStatus>> nodes(int limit);

  /**
   * Replays, the newest first.
   *
   * @param below only those with a lower number; null: all
   * @param limit how many at most
   */
  Future<List<ReplayStatus>> replays(@Nullable Long below, int limit);
}
