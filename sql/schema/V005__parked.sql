-- Messages that could not be published, copied out of the ring in the transaction of the receipt that passed them, so
-- that they never hold a slot.

create table millrace.parked (
  message_id     uuid primary key,
  id             bigint      not null,
  shard          smallint    not null,
  aggregate_type text        not null,
  aggregate_id   text        not null,
  revision       bigint,
  topic          text        not null,
  message_key    text,
  event_type     text        not null,
  schema_version text,
  content_type   text        not null,
  headers        text[],
  payload        bytea,
  resolver       text,
  created_at     timestamptz not null,
  state          text        not null check (state in ('retrying', 'dead')),
  reason         text        not null,
  attempts       integer     not null default 0,
  parked_at      timestamptz not null default clock_timestamp()
);
-- Is an earlier message of this aggregate on this topic parked?
create index parked_aggregate on millrace.parked (shard, aggregate_type, aggregate_id, topic, id);

grant select on millrace.parked to millrace_relay, millrace_maintenance, millrace_reader;
