package io.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class SchemaMigrationIT {
  private static final String COUNT_OF_SLOTS = "select count(*) from millrace.slot";

  @RegisterExtension static final PgFixture pg = PgFixture.sharedByTheClass();

  private String database;

  @BeforeEach
  void makeAnEmptyDatabase() {
    database = pg.emptyDatabase();
  }

  @Test
  void it_lays_everything_in_an_empty_database() {
    SchemaMigration.Result result = migration(8, 1_000, 5).migrate();

    assertThat(result.executed()).isGreaterThan(6);
    assertThat(result.version()).isEqualTo("014");
    assertThat(value("select millrace.schema_version()"))
        .as("what nodes of this version are made for")
        .isEqualTo("" + SchemaMigration.SCHEMA_VERSION);
    assertThat(value("select count(*) from millrace.shard")).isEqualTo("8");
    assertThat(value("select millrace.shard_count()")).isEqualTo("8");
    assertThat(value(COUNT_OF_SLOTS)).isEqualTo("5");
    assertThat(value("select count(*) from millrace.receipt where head = 0")).isEqualTo("8");
    assertThat(
            pg.column(
                database, "select s.slot || ' ' || s.state from millrace.slot s order by s.slot"))
        .containsExactly("0 hot", "1 free", "2 free", "3 free", "4 free");
  }

  @Test
  void it_lays_every_bucket_from_the_floor_to_those_ahead() {
    migration(8, 1_000, 5).migrate();

    String due = "select millrace.bucket_of((extract(epoch from now()) * 1000)::bigint)";
    int today = Integer.parseInt(value(due));
    int kept = PgFixture.RETENTION_BUCKETS;
    assertThat(value("select floor from millrace.inbox_window"))
        .isEqualTo(Integer.toString(today - kept));
    for (String parent : new String[] {"inbox", "effect"}) {
      assertThat(
              pg.column(
                  database,
                  "select bucket from millrace.bucket where state = 'ready' and parent = '%s' order by 1"
                      .formatted(parent)))
          .hasSize(kept + 1 + PgFixture.BUCKETS_AHEAD)
          .startsWith(Integer.toString(today - kept))
          .endsWith(Integer.toString(today + PgFixture.BUCKETS_AHEAD));
    }
  }

  @Test
  void a_schema_without_an_inbox_gets_one(@TempDir Path directory) throws IOException {
    copyScriptsOfVersion6(directory);
    Flyway.configure()
        .dataSource(pg.server().jdbcUrl(database), pg.server().user(), "")
        .schemas("millrace")
        .table("schema_history")
        .locations("filesystem:" + directory)
        .placeholders(Map.of("shard_count", "8", "payload_bytes_max", "1000", "slots_min", "5"))
        .load()
        .migrate();
    execute(
        "insert into millrace.outbox (topic, aggregate_type, aggregate_id, event_type)"
            + " values ('orders', 'order', '1', 'paid')");
    assertThat(value("select to_regclass('millrace.inbox') is null")).isEqualTo("t");

    assertThat(migration(8, 1_000, 5).migrate().version()).isEqualTo("014");

    assertThat(value("select count(*) from millrace.outbox")).isEqualTo("1");
    assertThat(value("select count(*) > 3 from millrace.bucket")).isEqualTo("t");
    execute(append(3));
    assertThat(
            value(
                "select string_agg(distinct conname, ' ') from pg_constraint where contype = 'c'"
                    + " and conrelid::regclass::text like 'millrace.outbox%'"))
        .isEqualTo("message_keeps_the_rules");
  }

  private static void copyScriptsOfVersion6(Path directory) throws IOException {
    Path sources = Path.of("../../sql");
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String name = file.getFileName().toString();
        boolean isOfSpatial = file.getParent().endsWith("spatial");
        if (!isOfSpatial
            && !name.matches(
                "V0(0[7-9]|1).*|R__(apply_once|inbox|effect|bucket|progress|views|operate|capture|table_backfill|look|schema_version).*")) {
          Path copy = directory.resolve(sources.relativize(file));
          Files.createDirectories(copy.getParent());
          Files.copy(file, copy);
        }
      }
    }
  }

  @Test
  void a_second_run_finds_everything_in_place() {
    migration(8, 1_000, 5).migrate();
    SchemaMigration.Result again = migration(8, 1_000, 5).migrate();

    assertThat(again).isEqualTo(new SchemaMigration.Result(0, "014", 0));
  }

  @Test
  void a_database_that_a_newer_version_has_migrated_is_refused() {
    migration(8, 1_000, 5).migrate();
    execute(
        "insert into millrace.schema_history (installed_rank, version, description, type, script,"
            + " checksum, installed_by, execution_time, success)"
            + " values (999, '999', 'later', 'SQL', 'V999__later.sql', 1, 'postgres', 1, true)");

    assertThatThrownBy(() -> migration(8, 1_000, 5).migrate())
        .isInstanceOf(FlywayException.class)
        .hasMessageContaining("999");
  }

  @Test
  void a_script_that_was_changed_after_it_had_been_run_is_refused() {
    migration(8, 1_000, 5).migrate();
    execute("update millrace.schema_history set checksum = checksum + 1 where version = '002'");

    assertThatThrownBy(() -> migration(8, 1_000, 5).migrate())
        .isInstanceOf(FlywayException.class)
        .hasMessageContaining("checksum");
  }

  @Test
  void a_changed_payload_limit_takes_effect_with_the_next_run() {
    migration(8, 10, 5).migrate();
    assertThatThrownBy(() -> execute(append(11))).hasMessageContaining("10 bytes, found 11");

    SchemaMigration.Result result = migration(8, 11, 5).migrate();

    assertThat(result.executed()).isEqualTo(1);
    assertThat(value("select millrace.payload_bytes_max()")).isEqualTo("11");
    execute(append(11));
    assertThatThrownBy(() -> execute(append(12))).hasMessageContaining("11 bytes, found 12");
    assertThat(migration(8, 11, 5).migrate().executed()).isZero();
  }

  @Test
  void the_number_of_shards_and_slots_stays_as_it_was_laid() {
    migration(8, 1_000, 5).migrate();
    migration(16, 1_000, 7).migrate();

    assertThat(value("select millrace.shard_count()")).isEqualTo("8");
    assertThat(value("select count(*) from millrace.shard")).isEqualTo("8");
    assertThat(value(COUNT_OF_SLOTS)).isEqualTo("5");
  }

  @Test
  void a_database_that_is_not_encoded_in_utf_8_is_refused_and_left_without_tables() {
    String latin = database + "_latin";
    PgFixture.execute(
        pg.server(),
        "postgres",
        "create database "
            + latin
            + " template template0 encoding 'LATIN1' lc_collate 'C' lc_ctype 'C'");
    SchemaMigration.Login login = PgFixture.login(pg.server(), latin);

    assertThatThrownBy(() -> new SchemaMigration(login, PgFixture.layout(8, 1_000, 5)).migrate())
        .isInstanceOf(FlywayException.class)
        .hasMessageContaining("encoding UTF8, found LATIN1");
    assertThat(
            pg.column(
                latin,
                "select tablename from pg_tables where schemaname = 'millrace'"
                    + " and tablename <> 'schema_history'"))
        .isEmpty();
  }

  @Test
  void a_password_does_not_show_in_the_text_of_a_login() {
    SchemaMigration.Login login =
        new SchemaMigration.Login("db", 5432, "shop", "owner", "hidden-word", "require");

    assertThat(login.toString()).isEqualTo("owner@db:5432/shop");
  }

  private static String append(int bytes) {
    return "select millrace.append('orders', 'order', '1', 'paid', '%s'::bytea)"
        .formatted("x".repeat(bytes));
  }

  private SchemaMigration migration(int shards, int payloadBytesMax, int slots) {
    return new SchemaMigration(
        PgFixture.login(pg.server(), database), PgFixture.layout(shards, payloadBytesMax, slots));
  }

  private String value(String sql) {
    return pg.column(database, sql).get(0);
  }

  private void execute(String sql) {
    PgFixture.execute(pg.server(), database, sql);
  }
}
