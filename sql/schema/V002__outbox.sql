-- The outbox ring.
--
-- The order of the first three columns is load-bearing. Defaults are evaluated in attribute order: within every row the
-- transaction id is assigned before the message id is drawn, and both before the slot is chosen. A relay's late rows
-- and the fenced turning of the ring rest on it.

create sequence millrace.outbox_id as bigint cache 1;

-- Its last value is the slot that new messages go to. Not transactional on purpose: a turn takes effect at once, and a
-- snapshot never brings a closed slot back.
create sequence millrace.ring_slot as smallint minvalue 0 maxvalue 32767 start 0 cache 1;
select setval('millrace.ring_slot', 0);

create table millrace.outbox (
  xid            xid8        not null default pg_current_xact_id(),
  id             bigint      not null default nextval('millrace.outbox_id'),
  slot           smallint    not null default pg_sequence_last_value('millrace.ring_slot'::regclass)::smallint,
  shard          smallint    not null generated always as (millrace.shard_of(aggregate_type, aggregate_id)) stored,
  message_id     uuid        not null default millrace.uuid_v7(),
  aggregate_type text        not null,
  aggregate_id   text        not null,
  revision       bigint,
  topic          text        not null,
  message_key    text,
  event_type     text        not null,
  schema_version text,
  content_type   text        not null default 'application/json',
  headers        text[],
  payload        bytea,
  resolver       text,
  created_at     timestamptz not null default clock_timestamp(),

  constraint message_id_must_be_a_uuid_v7_within_a_day_of_now check (
    substr(message_id::text, 15, 1) = '7'
    and abs(extract(epoch from created_at) * 1000 - millrace.uuid_v7_ms(message_id)) < 86400000),
  constraint aggregate_type_must_have_1_to_200_characters check (length(aggregate_type) between 1 and 200),
  constraint aggregate_id_must_have_1_to_400_characters check (length(aggregate_id) between 1 and 400),
  constraint revision_must_not_be_negative check (revision >= 0),
  constraint topic_must_be_1_to_249_of_letters_digits_dot_underscore_hyphen check (
    length(topic) between 1 and 249 and topic ~ '^[a-zA-Z0-9._-]+$' and topic not in ('.', '..')),
  constraint message_key_must_have_1_to_1000_characters check (length(message_key) between 1 and 1000),
  constraint event_type_must_have_1_to_200_characters check (length(event_type) between 1 and 200),
  constraint schema_version_must_have_1_to_100_characters check (length(schema_version) between 1 and 100),
  constraint content_type_must_have_1_to_200_characters check (length(content_type) between 1 and 200),
  constraint resolver_must_have_1_to_100_characters check (length(resolver) between 1 and 100),
  -- name, value, name, value, ...: names may repeat, so it is no map
  constraint headers_must_be_at_most_100_pairs_of_texts check (
    cardinality(headers) % 2 = 0 and cardinality(headers) <= 200
    and array_position(headers, null) is null and coalesce(array_ndims(headers), 1) = 1),
  constraint headers_must_have_at_most_16384_characters check (length(array_to_string(headers, '')) <= 16384),
  constraint payload_must_not_exceed_payload_bytes_max check (octet_length(payload) <= millrace.payload_bytes_max())
) partition by list (slot);

comment on table millrace.outbox is
  'Messages to publish: a ring of list partitions that are appended to, then truncated. Rows are never updated.';

-- The only index: a relay reads one shard in id order.
create index outbox_shard_id on millrace.outbox (shard, id);

create table millrace.slot (
  slot         smallint primary key check (slot >= 0),
  state        text not null check (state in ('attaching', 'free', 'next', 'hot', 'draining', 'published')),
  -- An upper bound of the transaction ids that chose this slot: drawn after the slot stopped being current.
  closed_xid   xid8,
  -- Virtual transactions that held a lock on the outbox when the slot was attached and still plan without it.
  waits_for    text[] not null default '{}',
  attached_at  timestamptz not null default clock_timestamp(),
  opened_at    timestamptz,
  closed_at    timestamptz,
  published_at timestamptz,
  truncated_at timestamptz,
  -- Why the last attempt to clean it did not, for people.
  postponed    text
) with (fillfactor = 50);
create unique index slot_one_hot on millrace.slot (state) where state = 'hot';
create unique index slot_one_next on millrace.slot (state) where state = 'next';

-- CREATE TABLE, then ATTACH: "create table ... partition of" would need ACCESS EXCLUSIVE on the parent.
create procedure millrace.create_slot_table(p_slot integer)
  language plpgsql set search_path = pg_catalog, pg_temp
  as $$
begin
  execute format(
    'create table millrace.outbox_slot_%s (like millrace.outbox including defaults including constraints '
    'including generated including storage) with (autovacuum_enabled = off, toast.autovacuum_enabled = off, '
    'fillfactor = 100)', p_slot);
  execute format('create index outbox_slot_%1$s_shard_id on millrace.outbox_slot_%1$s (shard, id)', p_slot);
  execute format('alter table millrace.outbox attach partition millrace.outbox_slot_%1$s for values in (%1$s)', p_slot);
end
$$;

do $$
begin
  for slot in 0 .. ${slots_min} - 1 loop
    call millrace.create_slot_table(slot);
    insert into millrace.slot (slot, state, opened_at)
    values (slot, case slot when 0 then 'hot' else 'free' end, case slot when 0 then clock_timestamp() end);
  end loop;
end
$$;

-- Nobody supplies xid, id, slot or created_at. USAGE on the ring's sequence would let a writer turn the ring.
grant insert (message_id, aggregate_type, aggregate_id, revision, topic, message_key, event_type, schema_version,
              content_type, headers, payload, resolver) on millrace.outbox to millrace_writer;
grant select (id, message_id, shard, aggregate_type, aggregate_id, revision, topic, created_at)
  on millrace.outbox to millrace_writer;
grant usage on sequence millrace.outbox_id to millrace_writer;
grant select on sequence millrace.ring_slot to millrace_writer, millrace_relay, millrace_maintenance, millrace_reader;
grant select on sequence millrace.outbox_id to millrace_relay, millrace_maintenance, millrace_reader;
grant select on millrace.outbox to millrace_relay, millrace_maintenance, millrace_reader;
grant select on millrace.slot to millrace_relay, millrace_maintenance, millrace_reader;
