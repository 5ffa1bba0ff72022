package io.millrace.launcher;

import io.millrace.core.config.SchemaConfig;
import io.millrace.port.Compatibility;
import io.millrace.port.Installation;
import io.millrace.port.Origin;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What must hold of the database before a node starts. */
final class InstallationCheck {
  private static final Logger LOG = LoggerFactory.getLogger(InstallationCheck.class);

  private InstallationCheck() {}

  /**
   * Why a node that was made for a schema version may not run on the schema, with what to do;
   * empty: it may.
   *
   * @param found empty: not laid, or laid before schemas said so
   */
  static List<String> problems(Optional<Compatibility> found, int own) {
    if (found.isEmpty()) {
      return List.of(
          "this node needs schema version "
              + own
              + ", the database has no schema millrace, or an earlier one: run millrace migrate first");
    }
    int schema = found.get().schemaVersion();
    if (schema < own) {
      return List.of(
          "this node needs schema version "
              + own
              + ", the schema is at version "
              + schema
              + ": run millrace migrate first");
    }
    int from = found.get().compatibleFrom();
    if (own < from) {
      return List.of(
          "this node is made for schema version "
              + own
              + ", the schema is at version "
              + schema
              + " and takes nodes made for version "
              + from
              + " or later: install the Millrace that has migrated it");
    }
    return List.of();
  }

  /** Every reason not to start, each naming what was expected and what was found; empty: none. */
  static List<String> problems(Installation found, SchemaConfig expected) {
    List<String> problems = new ArrayList<>();
    if (found.isInRecovery()) {
      problems.add(
          "the database server is a standby: its snapshots list no open transactions, connect to the primary");
    }
    if (found.shardCount() != expected.shardCount()) {
      problems.add(
          "schema.shard_count is "
              + expected.shardCount()
              + ", the schema was laid with "
              + found.shardCount()
              + "; it is fixed for ever");
    }
    if (found.payloadBytesMax() != expected.payloadBytesMax()) {
      problems.add(
          "schema.payload_bytes_max is "
              + expected.payloadBytesMax()
              + ", the schema has "
              + found.payloadBytesMax()
              + "; run migrate with the new value");
    }
    if (found.inboxBucketMs() != expected.inboxBucketMs()) {
      problems.add(
          "schema.inbox_bucket_hours makes buckets of "
              + expected.inboxBucketMs()
              + " ms, the schema was laid with "
              + found.inboxBucketMs()
              + " ms; it is fixed for ever");
    }
    return problems;
  }

  /** Every reason not to read on this server what was stored on another, with what to do. */
  static List<String> problems(Origin origin) {
    if (!origin.traces().isEmpty()) {
      return List.of(
          String.join(", ", origin.traces())
              + ": this database was restored from elsewhere, and relaying from it would skip messages; stop every"
              + " node and run millrace rebase");
    }
    if (origin.known() != origin.actual()) {
      return List.of(
          "the database server has the system identifier "
              + origin.actual()
              + ", the installation knows "
              + origin.known()
              + ": after pg_upgrade or a copy of the server's files run millrace confirm-server, after a restore from a"
              + " dump run millrace rebase");
    }
    return List.of();
  }

  /** Tells what is allowed but weakens a promise. */
  static void warn(Installation found) {
    if (found.synchronousCommit().equals("off")) {
      LOG.warn(
          "synchronous_commit is off by the server's default: after a crash a message may announce a change that is gone");
    }
  }
}
