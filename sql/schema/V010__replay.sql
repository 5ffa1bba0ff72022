-- Replays: what an operator has asked to be published once more, and how far each shard has come with it. These tables are
-- written at the rate of acts and of checkpoints, about one a second and shard at most, not of messages: they may be
-- updated.

create table millrace.replay (
  replay_id      bigint generated always as identity primary key,
  actor          text        not null,
  reason         text        not null,
  -- Which messages: filters that are null do not restrict. Times are those at which messages were appended.
  from_at        timestamptz,
  to_at          timestamptz,
  topic          text,
  aggregate_type text,
  aggregate_id   text,
  target_topic   text,                                   -- null: each message's own topic
  rate           integer     not null,                   -- messages a second, over all shards
  state          text        not null default 'running' check (state in ('running', 'done', 'cancelled', 'failed')),
  end_reason     text,
  created_at     timestamptz not null default clock_timestamp(),
  finished_at    timestamptz,
  constraint a_replay_that_runs_has_no_end check ((state = 'running') = (finished_at is null))
) with (fillfactor = 50);
create index replay_running on millrace.replay (replay_id) where state = 'running';

create table millrace.replay_shard (
  replay_id   bigint      not null,
  shard       smallint    not null,
  -- What the shard had published when the replay was asked for: nothing else is published again. The main lane's newest
  -- receipt, and by topic those of the lanes that were open.
  head        bigint      not null,
  seen        pg_snapshot not null,
  lanes       jsonb       not null,
  start_id    bigint      not null,
  position    bigint      not null,                      -- ids up to here are done
  end_id      bigint      not null,
  sent        bigint      not null default 0,
  skipped     bigint      not null default 0,
  skip_reason text,                                      -- of the newest one skipped
  waits       text,                                      -- why the owner of the shard does not go on, for people
  done        boolean     not null default false,
  checkpoints bigint      not null default 0,
  checked_at  timestamptz,
  primary key (replay_id, shard)
) with (fillfactor = 50);
create index replay_shard_open on millrace.replay_shard (shard, replay_id) where not done;

-- A message that an operator has discarded is never published, by a replay neither.
create index audit_discarded on millrace.audit (((detail ->> 'id')::bigint)) where act = 'discarded';

grant select on millrace.replay, millrace.replay_shard
  to millrace_relay, millrace_maintenance, millrace_reader, millrace_operator;
