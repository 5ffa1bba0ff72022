-- What holds messages back, and who decided about it: lanes of quarantined topics, keys behind a parked message, and the
-- record of every operator's act.

do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'millrace_operator') then
    create role millrace_operator nologin;
  end if;
end
$$;
grant usage on schema millrace to millrace_operator;

create table millrace.audit (
  audit_id bigint generated always as identity primary key,
  at       timestamptz not null default clock_timestamp(),
  actor    text not null,
  act      text not null,
  reason   text,
  detail   jsonb not null default '{}',
  constraint actor_must_have_1_to_200_characters check (length(actor) between 1 and 200),
  constraint reason_must_have_at_most_2000_characters check (length(reason) <= 2000)
);
comment on table millrace.audit is 'Every act of an operator: who, what, why. Rows are never changed.';

-- Open lanes stand here, where the rotation of receipts does not reach. One change a split, a merge or a decision to
-- drain: not at the rate of messages.
create table millrace.lane (
  shard     smallint    not null,
  topic     text        not null,
  -- draining: too old, or the ring needs its slots. What cannot be published then is parked.
  state     text        not null default 'open' check (state in ('open', 'draining')),
  reason    text        not null,
  -- Messages of the topic that the broker acknowledged although an earlier one of their aggregate had failed.
  overtaken uuid[]      not null default '{}',
  opened_at timestamptz not null default clock_timestamp(),
  primary key (shard, topic)
) with (fillfactor = 50);

-- Raised by every split and merge. A receipt that knows another set of lanes is void: a cursor that has skipped a topic
-- must never become the newest one of a shard whose lane for that topic has ended.
alter table millrace.shard add column lane_version bigint not null default 0;

-- kind: message = the broker or the producer refuses this one; behind = an earlier one of its key is parked; lane = its
-- topic could not be published to for too long.
-- state: retrying = goes out by itself when what holds it is gone; dead = an operator must say.
alter table millrace.parked
  add column kind      text not null default 'message' check (kind in ('message', 'behind', 'lane')),
  add column overtaken uuid[] not null default '{}',
  add column wanted    text check (wanted in ('redrive', 'discard')),
  add column audit_id  bigint;
-- An application may give the same message id twice; a position in the outbox is never given twice.
alter table millrace.parked drop constraint parked_pkey;
alter table millrace.parked add primary key (id);
create index parked_message_id on millrace.parked (message_id);
create index parked_discard on millrace.parked (shard, id) where wanted = 'discard';

-- A key is an aggregate within a topic. While it stands here, its messages are parked behind the first one.
create table millrace.blocked_key (
  shard          smallint not null,
  aggregate_type text     not null,
  aggregate_id   text     not null,
  topic          text     not null,
  -- When the owner of the shard tries its first parked message next; null: somebody or something else must act first.
  due_at         timestamptz,
  primary key (shard, aggregate_type, aggregate_id, topic)
) with (fillfactor = 70);
create index blocked_key_due on millrace.blocked_key (shard, due_at) where due_at is not null;

grant select on millrace.lane, millrace.blocked_key, millrace.audit
  to millrace_relay, millrace_maintenance, millrace_reader, millrace_operator;
grant select on millrace.parked to millrace_operator;
