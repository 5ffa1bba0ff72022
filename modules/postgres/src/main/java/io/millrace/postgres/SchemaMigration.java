package io.millrace.postgres;

import io.millrace.core.config.MillraceConfig;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.output.MigrateResult;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Lays and upgrades the schema {@code millrace}, and brings the ring to the indexes that its slots
 * must have, while nodes and writers work. Forward only; a database that a newer Millrace has
 * migrated is refused. One at a time for a database. Blocking: call it from a thread that may wait,
 * with a role that may create schemas and roles, over a direct connection.
 */
public final class SchemaMigration {
  private static final String SCHEMA = "millrace";
  private static final String HISTORY = "schema_history";
  private static final String SCRIPTS = "classpath:io/millrace/postgres/schema";

  /** The schema version that this Millrace is made for: that of the newest script. */
  public static final int SCHEMA_VERSION = 14;

  private final PGSimpleDataSource dataSource;
  private final Flyway flyway;
  private final SlotIndexes indexes;

  /**
   * @param login where, and as whom
   * @param layout what is laid
   */
  public SchemaMigration(Login login, Layout layout) {
    this(login, layout, List.of(), SlotIndex.declared());
  }

  /**
   * With scripts of a version that is not there yet.
   *
   * @param laterScripts where they are, as Flyway spells it
   */
  public SchemaMigration(Login login, Layout layout, String laterScripts) {
    this(login, layout, List.of(laterScripts), SlotIndex.declared());
  }

  SchemaMigration(
      Login login, Layout layout, List<String> laterScripts, List<SlotIndex> slotIndexes) {
    this.dataSource = dataSource(login);
    this.indexes = new SlotIndexes(slotIndexes);
    List<String> locations = new ArrayList<>(laterScripts);
    locations.add(SCRIPTS);
    this.flyway =
        Flyway.configure()
            .dataSource(dataSource)
            .schemas(SCHEMA)
            .createSchemas(true)
            .table(HISTORY)
            .locations(locations.toArray(String[]::new))
            .placeholders(layout.placeholders())
            // Nothing is ignored, future versions above all: an old migrate must not touch a newer
            // schema.
            .ignoreMigrationPatterns(new String[0])
            .cleanDisabled(true)
            .load();
  }

  private static PGSimpleDataSource dataSource(Login login) {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setServerNames(new String[] {login.host()});
    dataSource.setPortNumbers(new int[] {login.port()});
    dataSource.setDatabaseName(login.database());
    dataSource.setUser(login.user());
    dataSource.setPassword(login.password());
    dataSource.setSslMode(login.sslMode());
    dataSource.setApplicationName("millrace-migrate");
    // A queued lock of a migration stalls everyone behind it: better to fail and be repeated.
    dataSource.setOptions("-c lock_timeout=2s");
    return dataSource;
  }

  /**
   * Where the schema is laid.
   *
   * @param sslMode as libpq spells it: disable, prefer, require, verify-ca or verify-full
   */
  public record Login(
      String host, int port, String database, String user, String password, String sslMode) {
    /** The password stays out of logs. */
    @Override
    public String toString() {
      return user + "@" + host + ":" + port + "/" + database;
    }
  }

  /**
   * What is laid.
   *
   * @param shardCount fixed for ever when the schema is laid, 1 to 1,024
   * @param payloadBytesMax the largest payload, in bytes; takes effect with every migration
   * @param slotsMin slots of a new ring, 3 to 32
   * @param inboxBucketMs the width of an inbox bucket, in milliseconds; fixed for ever when the
   *     inbox is laid
   * @param inboxRetentionMs how long ids are kept, in milliseconds; so many buckets are made at
   *     first, and maintenance goes on with what it is configured with
   * @param inboxBucketsAhead buckets made before they are needed, likewise
   */
  public record Layout(
      int shardCount,
      int payloadBytesMax,
      int slotsMin,
      long inboxBucketMs,
      long inboxRetentionMs,
      int inboxBucketsAhead) {

    /** As configured. */
    public static Layout of(MillraceConfig config) {
      return new Layout(
          config.schema().shardCount(),
          config.schema().payloadBytesMax(),
          config.maintenance().slotsMin(),
          config.schema().inboxBucketMs(),
          config.inbox().retentionMs(),
          config.inbox().bucketsAhead());
    }

    private Map<String, String> placeholders() {
      return Map.of(
          "shard_count", Integer.toString(shardCount),
          "payload_bytes_max", Integer.toString(payloadBytesMax),
          "slots_min", Integer.toString(slotsMin),
          "inbox_bucket_ms", Long.toString(inboxBucketMs),
          "inbox_retention_ms", Long.toString(inboxRetentionMs),
          "inbox_buckets_ahead", Integer.toString(inboxBucketsAhead));
    }
  }

  /**
   * What a migration did.
   *
   * @param executed how many scripts were run; 0: everything was in place
   * @param version the schema's version now
   * @param indexes how many indexes of slots were built, repaired or dropped
   */
  public record Result(int executed, String version, int indexes) {}

  /**
   * Brings the schema to this version, and the slots to its indexes. Indexes are built for as long
   * as it takes, and wait for transactions that began earlier.
   *
   * @throws org.flywaydb.core.api.FlywayException if the schema is newer, was changed by hand, or a
   *     script failed; the failed script's transaction is rolled back
   * @throws MigrationException if another one is running, the connection is lost, or a lock could
   *     not be had
   */
  public Result migrate() {
    try (MigrationSession session = MigrationSession.begin(dataSource.getConnection())) {
      MigrateResult scripts = flyway.migrate();
      int changed = indexes.bring(session).count();
      return new Result(scripts.migrationsExecuted, version(scripts), changed);
    } catch (SQLException e) {
      throw new MigrationException("migrate was interrupted: " + e.getMessage(), e);
    }
  }

  private String version(MigrateResult result) {
    MigrationInfo current = flyway.info().current();
    String version =
        current == null || current.getVersion() == null ? "" : current.getVersion().getVersion();
    return version.isEmpty() ? String.valueOf(result.targetSchemaVersion) : version;
  }
}
