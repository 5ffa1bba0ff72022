package io.millrace.client;

import io.millrace.core.message.Appended;
import io.millrace.core.message.NewMessage;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;

/** What one run of a command works with. Valid until the run's future has completed. */
public interface CommandContext {

  /** The code of the refusal that a wrong expected revision becomes. */
  String REVISION_CONFLICT = "revision_conflict";

  /** The id by which the caller may repeat the command. */
  UUID commandId();

  /** What the caller asked for, as it came over the bus. */
  JsonObject arguments();

  /**
   * A connection in the run's transaction. It is lent: it executes nothing any more once the run
   * has ended, and it refuses {@code begin}, {@code prepare} and {@code close}.
   */
  SqlConnection connection();

  /** Appends messages; their ids go into the reply, their shards into the nudge. */
  Future<List<Appended>> append(NewMessage... messages);

  /**
   * Hands out a revision, which goes into the reply as well. Wait for it before the append.
   *
   * @param expected the revision that the caller has seen (0: none yet), or empty for any
   * @return failed with {@link CommandRefused} of code {@link #REVISION_CONFLICT} when the
   *     aggregate is not at the expected revision; else as {@link Outbox#nextRevision}
   */
  Future<Long> nextRevision(String aggregateType, String aggregateId, OptionalLong expected);
}
