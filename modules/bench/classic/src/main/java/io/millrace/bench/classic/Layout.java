package io.millrace.bench.classic;

/** Where published rows go. */
enum Layout {
  /** They stay where they are, marked, and out of the partial index. */
  ONE_TABLE(
      "one table, partial index on (id) where published_at is null",
      """
          create table outbox (
            id             bigint generated always as identity primary key,
            message_id     uuid        not null default gen_random_uuid(),
            aggregate_type text        not null,
            aggregate_id   text        not null,
            event_type     text        not null,
            payload        bytea       not null,
            created_at     timestamptz not null default clock_timestamp(),
            published_at   timestamptz)
          with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);
          create index outbox_unpublished on outbox (id) where published_at is null;
          """,
      """
      select id, message_id, aggregate_type, aggregate_id, event_type, payload from outbox
       where published_at is null order by id limit $1 for update skip locked
      """,
      "update outbox set published_at = clock_timestamp() where id = any($1)"),

  /** The update moves them from the hot list partition to the published one. */
  HOT_PUBLISHED(
      "list partitions hot and published, primary key (state, id); the update moves rows",
      """
          create table outbox (
            id             bigint generated always as identity,
            state          "char"      not null default 'h',
            message_id     uuid        not null default gen_random_uuid(),
            aggregate_type text        not null,
            aggregate_id   text        not null,
            event_type     text        not null,
            payload        bytea       not null,
            created_at     timestamptz not null default clock_timestamp(),
            published_at   timestamptz,
            primary key (state, id))
          partition by list (state);
          create table outbox_hot partition of outbox for values in ('h')
            with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);
          create table outbox_published partition of outbox for values in ('p');
          """,
      """
      select id, message_id, aggregate_type, aggregate_id, event_type, payload from outbox
       where state = 'h' order by id limit $1 for update skip locked
      """,
      """
      update outbox set state = 'p', published_at = clock_timestamp()
       where state = 'h' and id = any($1)
      """);

  private final String description;
  private final String tables;
  private final String read;
  private final String mark;

  Layout(String description, String tables, String read, String mark) {
    this.description = description;
    this.tables = tables;
    this.read = read;
    this.mark = mark;
  }

  String description() {
    return description;
  }

  String tables() {
    return tables;
  }

  /** With a parameter for the most rows. */
  String read() {
    return read;
  }

  /** With a parameter for the ids. */
  String mark() {
    return mark;
  }
}
