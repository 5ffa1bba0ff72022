-- The consumer's side: ids already applied, progress, parked messages, and effects outside the database.
-- It may lie in another database than the outbox.
-- Placeholders: inbox_bucket_ms (fixed when this is laid), inbox_retention_ms and inbox_buckets_ahead (maintenance
--   goes on with what it is configured with).

do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'millrace_inbox') then
    create role millrace_inbox nologin;
  end if;
end
$$;
grant usage on schema millrace to millrace_inbox;

create function millrace.inbox_bucket_ms() returns bigint
  language sql immutable parallel safe
  as 'select ${inbox_bucket_ms}::bigint';
comment on function millrace.inbox_bucket_ms() is
  'The width of a bucket in milliseconds. The bucket of a message is a pure function of it: never change it.';

-- Any time has a bucket, absurd ones of foreign senders too: those lie outside of what is kept.
create function millrace.bucket_of(time_ms bigint) returns integer
  language sql immutable strict parallel safe
  as $$ select greatest(-2147483648, least(2147483647, floor($1::numeric / millrace.inbox_bucket_ms())))::integer $$;

-- The oldest bucket that is kept, and for how long ids are kept. One row, so that there is one truth.
create table millrace.inbox_window (
  singleton     boolean primary key default true check (singleton),
  floor         integer     not null,
  retention_ms  bigint      not null,
  buckets_ahead integer     not null,
  raised_at     timestamptz not null default clock_timestamp()
) with (fillfactor = 50);
insert into millrace.inbox_window (floor, retention_ms, buckets_ahead)
select millrace.bucket_of((extract(epoch from clock_timestamp()) * 1000)::bigint - ${inbox_retention_ms}),
       ${inbox_retention_ms}, ${inbox_buckets_ahead};

-- The bucket is a pure function of the message's identity, so the same message meets the same unique index however
-- late it comes. Arrival time or state as the partition key would let it in twice.
create table millrace.inbox (
  bucket     integer     not null,
  consumer   text        not null,
  message_id uuid        not null,
  applied_at timestamptz not null default clock_timestamp(),
  primary key (bucket, consumer, message_id)
) partition by list (bucket);
comment on table millrace.inbox is
  'Ids of messages whose effects are committed, or that are parked. Rows are never updated; buckets are dropped.';

-- Effects outside the database: started, and finished with which outcome. Same buckets.
create table millrace.effect (
  bucket      integer     not null,
  consumer    text        not null,
  message_id  uuid        not null,
  step        text        not null,
  event       text        not null check (event in ('started', 'finished')),
  outcome     bytea,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (bucket, consumer, message_id, step, event)
) partition by list (bucket);
comment on table millrace.effect is
  'Calls to the outside, by message and step: started, then finished with its outcome. Rows are never updated.';

-- Which buckets there are.
--   ready     attached, and whoever sees this row plans with it
--   retiring  below the floor: no new transaction writes to it, those in waits_for may still
--   detached  a table of its own that is about to be dropped
-- A table that is attached and has no row here is one whose making was interrupted.
create table millrace.bucket (
  parent     text        not null check (parent in ('inbox', 'effect')),
  bucket     integer     not null,
  state      text        not null check (state in ('ready', 'retiring', 'detached')),
  -- Virtual transactions that may still write to it, noted after the floor was raised.
  waits_for  text[]      not null default '{}',
  -- How often detaching it was postponed, and why the last time, for people.
  postponed_count integer not null default 0,
  postponed  text,
  ready_at   timestamptz not null default clock_timestamp(),
  retiring_at timestamptz,
  primary key (parent, bucket)
) with (fillfactor = 50);

create procedure millrace.create_bucket_table(p_parent text, p_bucket integer)
  language plpgsql set search_path = pg_catalog, pg_temp
  as $$
begin
  -- CREATE TABLE, then ATTACH: "create table ... partition of" would need ACCESS EXCLUSIVE on the parent.
  execute format(
    'create table millrace.%2$I (like millrace.%1$I including defaults including constraints including indexes) '
    'with (autovacuum_enabled = off, toast.autovacuum_enabled = off, fillfactor = 100)',
    p_parent, p_parent || '_' || p_bucket);
  execute format('alter table millrace.%1$I attach partition millrace.%2$I for values in (%3$L)',
                 p_parent, p_parent || '_' || p_bucket, p_bucket);
end
$$;
revoke execute on procedure millrace.create_bucket_table from public;

do $$
declare
  bucket integer;
  parent text;
begin
  for bucket in
    select generate_series(w.floor,
      millrace.bucket_of((extract(epoch from clock_timestamp()) * 1000)::bigint) + w.buckets_ahead)
    from millrace.inbox_window w
  loop
    foreach parent in array array['inbox', 'effect'] loop
      call millrace.create_bucket_table(parent, bucket);
      insert into millrace.bucket (parent, bucket, state) values (parent, bucket, 'ready');
    end loop;
  end loop;
end
$$;

-- Progress is appended: one row a transaction of a consumer. Of a stripe of a topic partition, the row with the highest
-- counter is its position. Rotated like receipts: three lists, the one that the sequence names takes new rows.
create sequence millrace.progress_part as smallint minvalue 0 maxvalue 2 start 0 cycle cache 1;
select setval('millrace.progress_part', 0);

create table millrace.progress (
  part            smallint    not null default pg_sequence_last_value('millrace.progress_part'::regclass)::smallint,
  consumer        text        not null,
  topic_id        uuid        not null,                 -- not the name: a topic that is made anew begins anew
  topic_partition integer     not null,
  stripe          smallint    not null,
  stripe_count    smallint    not null,
  counter         bigint      not null,
  from_offset     bigint,                               -- null: the first position of the stripe
  to_offset       bigint      not null,
  leader_epoch    integer     not null,                 -- of the last record done; -1: not known
  reason          text,                                 -- null: messages were applied; else why the position was set
  recorded_at     timestamptz not null default clock_timestamp(),
  primary key (consumer, topic_id, topic_partition, stripe, counter, part)
) partition by list (part);
comment on table millrace.progress is 'How far consumers are. Rows are never updated; old ones go by TRUNCATE.';

do $$
begin
  for part in 0 .. 2 loop
    execute format('create table millrace.progress_%1$s partition of millrace.progress for values in (%1$s) '
                   'with (autovacuum_enabled = off, fillfactor = 100)', part);
  end loop;
end
$$;

create table millrace.progress_part_state (
  part      smallint primary key,
  opened_at timestamptz,
  closed_at timestamptz
) with (fillfactor = 50);
insert into millrace.progress_part_state values (0, clock_timestamp(), null), (1, null, null), (2, null, null);

-- Every stripe that has a position, where rotation does not reach: its newest row is carried forward before a list goes.
create table millrace.chain (
  consumer        text     not null,
  topic_id        uuid     not null,
  topic_partition integer  not null,
  stripe          smallint not null,
  topic           text     not null,
  primary key (consumer, topic_id, topic_partition, stripe)
);
create index chain_topic on millrace.chain (consumer, topic);

create function millrace.chain_lock(p_consumer text, p_topic_id uuid, p_topic_partition integer, p_stripe integer)
returns bigint
  language sql immutable parallel safe
  as $$ select hashtextextended(p_consumer || '/' || p_topic_id || '/' || p_topic_partition || '/' || p_stripe,
                                millrace.lock_class()) $$;

-- Messages that a consumer could not apply, with everything that they were. The row is the message's dedup record from
-- then on, as long as it lives.
create table millrace.inbox_parked (
  consumer        text        not null,
  message_id      uuid        not null,
  message_time    timestamptz not null,
  topic           text        not null,
  topic_id        uuid        not null,
  topic_partition integer     not null,
  record_offset   bigint      not null,
  leader_epoch    integer     not null,
  record_time     timestamptz not null,
  record_key      bytea,
  payload         bytea,
  header_names    text[]      not null,
  header_values   bytea[]     not null,
  reason          text        not null check (reason in ('beyond_dedup_window', 'ahead_of_buckets', 'no_identity',
                                'refused', 'failed', 'overdue', 'behind_parked')),
  blocks_key      boolean     not null,
  error           text        not null,
  attempts        integer     not null,
  parked_at       timestamptz not null default clock_timestamp(),
  primary key (consumer, message_id)
);
comment on table millrace.inbox_parked is 'Received messages that were not applied, with reason and error.';

-- One value for consumer, topic and key, so that only one index can answer whether a key is blocked: of two that begin
-- with the consumer, the planner takes the wrong one while the table looks empty, and reads all that the consumer parked.
-- plpgsql rather than sql, as in shard_of; the lengths keep ('a', 'bc') apart from ('ab', 'c').
create function millrace.parked_key(consumer text, topic text, record_key bytea) returns bytea
  language plpgsql immutable strict parallel safe
  as $$
begin
  return sha256(convert_to(length($1) || ':' || $1 || length($2) || ':' || $2, 'UTF8') || $3);
end
$$;
create index inbox_parked_key on millrace.inbox_parked (millrace.parked_key(consumer, topic, record_key))
  where blocks_key;

revoke execute on function millrace.inbox_bucket_ms(), millrace.bucket_of(bigint),
  millrace.parked_key(text, text, bytea),
  millrace.chain_lock(text, uuid, integer, integer) from public;
grant execute on function millrace.inbox_bucket_ms(), millrace.bucket_of(bigint)
  to millrace_inbox, millrace_writer, millrace_relay, millrace_maintenance, millrace_reader;
grant execute on function millrace.shard_count(), millrace.payload_bytes_max(), millrace.incarnation()
  to millrace_inbox;
grant select on millrace.inbox, millrace.effect, millrace.bucket, millrace.inbox_window, millrace.progress,
  millrace.progress_part_state, millrace.chain, millrace.inbox_parked
  to millrace_inbox, millrace_maintenance, millrace_reader;
grant select on sequence millrace.progress_part to millrace_inbox, millrace_maintenance, millrace_reader;
-- Start-up checks read what every node reads.
grant select on millrace.slot, millrace.shard, millrace.receipt to millrace_inbox;
