package io.millrace.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Every statement of this module, each the text of a {@code .sql} resource of the same name. */
enum Statement {
  BEGIN_PASS,
  BEGIN_STATEMENT,
  LIMIT_STATEMENTS,
  READ_SESSION,
  READ_ONWARD,
  READ_CHUNK,
  READ_POSITION,
  READ_WAITING,
  LOAD_CURSOR,
  ENSURE_INCARNATION,
  RECORD_RECEIPT,
  OPEN_LANE,
  READ_BLOCKED,
  READ_DUE_PARKED,
  RECORD_REDRIVE,
  DISCARD_WANTED,
  READ_OPEN_REPLAYS,
  READ_REPLAY,
  RECORD_REPLAY,
  READ_REPLAY_STATUS,
  REGISTER_NODE,
  HEARTBEAT,
  REMOVE_NODE,
  READ_CLUSTER,
  CLAIM_SHARD,
  RELEASE_SHARD,
  CLAIM_MAINTENANCE,
  RELEASE_MAINTENANCE,
  READ_RING,
  RING_PREPARE,
  RING_TURN,
  RING_CLOSE,
  RING_RECONCILE,
  RING_ATTACH,
  RING_NOTE_WAITS,
  RING_CONFIRM_ATTACHED,
  RING_MARK_PUBLISHED,
  RING_TRUNCATE,
  RING_DETACH,
  RING_DROP,
  RING_POSTPONE,
  DRAIN_LANES,
  RING_UNPUBLISHED,
  RING_CHECK_PUBLISHING,
  RELAY_REFUSAL,
  READ_RECEIPT_PARTS,
  READ_SHARD_COUNT,
  RECEIPT_TURN,
  RECEIPT_CARRY,
  RECEIPT_TRUNCATE,
  COMMAND_ANSWER_CLEAN,
  READ_RING_STATUS,
  READ_SHARD_STATUS,
  READ_STORAGE_STATUS,
  READ_TRAFFIC,
  READ_PUBLISHING,
  READ_PARKED_PAGE,
  READ_PARKED_MESSAGE,
  FIND_MESSAGE,
  READ_NODES,
  READ_REPLAY_PAGE,
  REDRIVE,
  DISCARD,
  PAUSE_SHARD,
  RESUME_SHARD,
  START_REPLAY,
  CANCEL_REPLAY,
  TURN_RING,
  READ_INSTALLATION,
  READ_COMPATIBILITY,
  READ_ORIGIN,
  CONFIRM_SERVER,
  REBASE,
  READ_INBOX_WINDOW,
  LOAD_CHAIN,
  INBOX_RESTART,
  READ_BUCKETS,
  BUCKET_SETTINGS,
  BUCKET_RAISE_FLOOR,
  BUCKET_ATTACH,
  BUCKET_ANNOUNCE,
  BUCKET_NOTE_WAITS,
  BUCKET_DETACH,
  BUCKET_DROP,
  READ_PROGRESS_PARTS,
  PROGRESS_TURN,
  PROGRESS_CARRY,
  PROGRESS_TRUNCATE,
  READ_BUCKET_STATUS,
  READ_PARKED_STATUS;

  private final String text;

  Statement() {
    String resource = "statement/" + name().toLowerCase(java.util.Locale.ROOT) + ".sql";
    try (InputStream in = Statement.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("no resource " + resource);
      }
      text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String text() {
    return text;
  }
}
