-- Purpose: an operator changes who publishes the outbox, in steps under which nothing is lost:
--
--   relay --prepare_debezium--> relay, on the way to Debezium      the publication; late-bound messages are refused
--         (the operator makes the replication slot)
--         --use_debezium, again until it returns null--> debezium  when the relay has published all that began before
--   debezium --use_relay, again until it returns null--> relay     when the replication slot has confirmed a point noted by
--                                                                  the first call, and nobody reads it any more
--   relay, on the way to Debezium --use_relay--> relay             nothing has happened
--
-- Either publisher begins at or before the point up to which the other one has published everything, and sends all that
-- follows in order: messages may come twice, and their first occurrences stay in order.
-- Tables written by all: publishing, audit. Locks of all: the maintenance row first, as every step of the ring.
-- Errors of all: 22023 without an actor; 25001 in a transaction that has written something already; 55000 when it is not the time for it; 55P03 when a lock is not to be had in time.

-- What all of them begin with. Not callable by itself.
create or replace function millrace.begin_publishing_act(p_act text, p_actor text) returns millrace.publishing
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  as $$
declare
  current millrace.publishing;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'millrace.% must run in READ COMMITTED, found %', p_act, current_setting('transaction_isolation');
  end if;
  if coalesce(trim(p_actor), '') = '' then
    raise exception '% needs the name of who asks for it, found none', p_act using errcode = 'invalid_parameter_value';
  end if;
  -- Each step looks at what the one before it has committed, and no later receipt may have an id as old as this one.
  if pg_current_xact_id_if_assigned() is not null then
    raise exception 'millrace.% must be the first in its transaction that writes: call it in one of its own', p_act
      using errcode = 'active_sql_transaction';
  end if;
  -- Left open it would keep writers and the ring's maintenance waiting.
  perform set_config('idle_in_transaction_session_timeout', '3s', true);
  perform 1 from millrace.maintenance for update;
  select p.* into current from millrace.publishing p for update;
  return current;
end
$$;

-- Not callable by itself. Whoever wants the outbox queues behind it: it waits for at most 50 ms.
create or replace function millrace.lock_outbox_briefly() returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp set lock_timeout = '50ms'
  as $$
begin
  lock table millrace.outbox in access exclusive mode;
exception when lock_not_available then
  raise exception using errcode = 'lock_not_available',
    message = 'transactions on the outbox did not end within 50 ms: call it again'
              || millrace.lock_holders('millrace.outbox'::regclass, false);
end
$$;

-- Before the replication slot: what it decodes goes by the publications that were there when it was made.
-- Late-bound messages are refused from now on, by a constraint that writers see: Debezium sends what is stored.
-- Rows returned: whether anything was changed. Tables written besides: the outbox, its constraints.
-- Locks besides: ACCESS EXCLUSIVE on the outbox, waited for at most 50 ms: writers queue behind it.
create or replace function millrace.prepare_debezium(p_actor text, p_reason text default null) returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s'
  as $$
declare
  current millrace.publishing := millrace.begin_publishing_act('prepare_debezium', p_actor);
begin
  if current.publisher = 'debezium' or current.next_publisher is not null then
    return false;
  end if;
  if current_setting('wal_level') <> 'logical' then
    raise exception 'wal_level must be logical for Debezium, found %', current_setting('wal_level')
      using errcode = 'object_not_in_prerequisite_state';
  end if;
  perform millrace.lock_outbox_briefly();
  alter table millrace.outbox add constraint late_bound_messages_need_the_relay_of_millrace
    check (resolver is null) not valid;
  if exists (select from pg_publication where pubname = 'millrace_outbox') then
    raise exception 'there is a publication millrace_outbox already, and it is not Millrace''s: drop it first'
      using errcode = 'object_not_in_prerequisite_state';
  end if;
  create publication millrace_outbox for table millrace.outbox
    with (publish = 'insert', publish_via_partition_root = true);
  update millrace.publishing
  set next_publisher = 'debezium', publication_xid = pg_current_xact_id(), changed_at = clock_timestamp();
  insert into millrace.audit (actor, act, reason, detail) values (p_actor, 'prepare_debezium', p_reason, '{}');
  return true;
end
$$;

-- The replication slot must be made after prepare_debezium, and be marked, so that a successor that Debezium makes by
-- itself is told apart. The relay goes on until it has published what began before the barrier; what commits after the
-- replication slot was made, Debezium sends. Everything of the first kind has ended when this returns null.
-- The first call only finds the replication slot, the second draws the barrier: transactions of their own.
-- Rows returned: one: null when Debezium publishes from now on and may be started, else what it waits for, for people.
-- p_nobody_prepares: whoever calls says that nobody prepares transactions in this database, though the server permits it.
-- Tables written besides: shard. Locks besides: every shard's advisory lock, as a claim: no receipt is half written.
drop function if exists millrace.use_debezium(text, text, text);

create or replace function millrace.use_debezium(
  p_replication_slot text, p_actor text, p_reason text default null, p_nobody_prepares boolean default false)
returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s'
  as $$
declare
  current millrace.publishing := millrace.begin_publishing_act('use_debezium', p_actor);
  reader record;
  waits text;
begin
  if current.publisher = 'debezium' and current.replication_slot is not distinct from p_replication_slot
     and current.next_publisher is null then
    return null;
  end if;
  if current.publisher = 'debezium' or current.next_publisher is distinct from 'debezium' then
    raise exception using errcode = 'object_not_in_prerequisite_state', message = case
      when current.publisher = 'debezium' then format('Debezium publishes already, through the replication slot %s: go '
        'back by millrace.use_relay first', current.replication_slot)
      else 'call millrace.prepare_debezium first, then make the replication slot' end;
  end if;
  perform millrace.check_new_replication_slot(p_replication_slot, current.publication_xid, p_nobody_prepares);
  select r.active, r.confirmed_flush_lsn as at into reader
  from pg_replication_slots r where r.slot_name = p_replication_slot;
  if reader.active then
    return format('somebody reads the replication slot %s already: start Debezium when this returns null',
                  p_replication_slot);
  end if;
  if current.replication_slot is distinct from p_replication_slot or current.barrier_lsn is distinct from reader.at then
    update millrace.publishing
    set replication_slot = p_replication_slot, slot_mark = millrace.replication_slot_mark(p_replication_slot),
        barrier_lsn = reader.at, barrier_xid = null, changed_at = clock_timestamp();
    insert into millrace.audit (actor, act, reason, detail)
    values (p_actor, 'begin_debezium', p_reason, jsonb_build_object('replication_slot', p_replication_slot));
    return format('the replication slot %s is accepted: call millrace.use_debezium again', p_replication_slot);
  end if;
  if current.barrier_xid is null then
    -- Drawn in a later transaction than the one that found the replication slot, whose id may be older than it: whatever
    -- has a commit record below the replication slot's beginning has an id below this one. A snapshot's xmax would not do,
    -- for it may be below the id of a transaction that has written its commit record and is not done yet.
    update millrace.publishing set barrier_xid = pg_current_xact_id()
    returning barrier_xid into current.barrier_xid;
  end if;
  waits := millrace.unpublished_below(current.barrier_xid);
  if waits is not null then
    return waits;
  end if;
  perform pg_advisory_xact_lock(millrace.lock_class(), s.shard) from (
    select shard from millrace.shard order by shard) s;
  -- Once more with new eyes: a receipt may have parked something or opened a lane.
  waits := millrace.held_back();
  if waits is not null then
    return waits;
  end if;
  update millrace.shard set owner = null, token = null where owner is not null;
  update millrace.publishing
  set publisher = 'debezium', next_publisher = null, broken = null, changed_at = clock_timestamp();
  insert into millrace.audit (actor, act, reason, detail)
  values (p_actor, 'use_debezium', p_reason,
          jsonb_build_object('replication_slot', p_replication_slot, 'barrier', current.barrier_xid::text,
                             'nobody_prepares', p_nobody_prepares));
  return null;
end
$$;

-- Refuses a replication slot that could not publish everything after it was made. Not callable by itself.
drop function if exists millrace.check_new_replication_slot(text, xid8);

create or replace function millrace.check_new_replication_slot(
  p_replication_slot text, p_publication_xid xid8, p_nobody_prepares boolean)
returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  as $$
declare
  fault text := millrace.replication_slot_fault(p_replication_slot);
  is_older boolean;
begin
  if fault is null and not millrace.publication_is_whole() then
    fault := 'the publication millrace_outbox is not as millrace.prepare_debezium has made it: undo it by '
             'millrace.use_relay, and begin again';
  end if;
  if fault is null and millrace.replication_slot_mark(p_replication_slot) is null then
    fault := format('the replication slot %s must have two_phase or failover, so that it is told apart from one that is '
                    'made anew by itself: drop it and make it as the guide says', p_replication_slot);
  end if;
  -- Decoded when it is prepared, a transaction ends Debezium's reading, and does so again at each start.
  if fault is null and millrace.replication_slot_mark(p_replication_slot) = 'two_phase'
     and current_setting('max_prepared_transactions')::integer > 0 and p_nobody_prepares is not true then
    fault := format('the replication slot %s has two_phase, and Debezium would stop for good at the first PREPARE '
                    'TRANSACTION, which the server permits (max_prepared_transactions is %s): %swhere nobody uses it in this '
                    'database, add p_nobody_prepares => true', p_replication_slot,
                    current_setting('max_prepared_transactions'),
                    case when current_setting('server_version_num')::integer >= 170000
                         then 'make the replication slot with failover instead, or, ' else '' end);
  end if;
  if fault is null then
    -- Both relative to this transaction's id, so that 32 bits are enough.
    select pg_current_xact_id()::text::bigint - age(r.catalog_xmin) <= p_publication_xid::text::bigint into is_older
    from pg_replication_slots r where r.slot_name = p_replication_slot;
    if is_older is distinct from false then
      fault := format('the replication slot %s was made before the publication, and would not find it: drop it and make it '
                      'anew', p_replication_slot);
    end if;
  end if;
  if fault is not null then
    raise exception using errcode = 'object_not_in_prerequisite_state', message = 'millrace.use_debezium: ' || fault;
  end if;
end
$$;

-- What Debezium cannot do: messages held back, lanes, replays. Null: there is nothing. Not callable by itself.
create or replace function millrace.held_back() returns text
  language sql volatile set search_path = pg_catalog, pg_temp
  as $$
    select case
      when exists (select from millrace.parked) or exists (select from millrace.blocked_key) then
        'messages are parked, and Debezium would overtake them: redrive or discard them first'
      when exists (select from millrace.lane) then
        format('the topic %s is quarantined, and Debezium would wait at it for ever: see to it first',
               (select min(l.topic) from millrace.lane l))
      when exists (select from millrace.replay where state = 'running') then
        'a replay is running: it needs Millrace''s relay'
    end
  $$;

-- Why the relay is not done with what began before the barrier; null: it is. Once it is, it stays so: the transactions
-- have ended, and receipts only move on.
-- Not callable by itself. Reads every message of a shard whose newest receipt is older than the barrier.
create or replace function millrace.unpublished_below(p_barrier xid8) returns text
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  as $$
declare
  waiting record;
  held text := millrace.held_back();
begin
  if held is not null then
    return held;
  end if;
  if pg_snapshot_xmin(pg_current_snapshot()) < p_barrier then
    return format('transactions that were open when the replication slot was accepted have not ended: the oldest is %s',
                  pg_snapshot_xmin(pg_current_snapshot()));
  end if;
  select s.shard, o.id into waiting
  from millrace.shard s
  left join lateral (
    select r.head, r.seen from millrace.receipt r
    where r.shard = s.shard and r.lane = ''
    order by r.epoch desc, r.counter desc limit 1) c on true
  left join lateral (
    (select n.id from millrace.outbox n where n.shard = s.shard and n.id > c.head and n.xid < p_barrier limit 1)
    union all
    (select l.id from millrace.outbox l
     where l.shard = s.shard and l.id <= c.head and pg_snapshot_xmin(c.seen) < p_barrier
       and l.xid < p_barrier and not pg_visible_in_snapshot(l.xid, c.seen) limit 1)
    limit 1) o on true
  where c.head is null or o.id is not null
  order by s.shard limit 1;
  if not found then
    return null;
  end if;
  return format('shard %s %s', waiting.shard,
                coalesce('has still to publish id ' || waiting.id, 'has no receipt'));
end
$$;

revoke execute on function millrace.begin_publishing_act, millrace.lock_outbox_briefly, millrace.prepare_debezium,
  millrace.use_debezium, millrace.check_new_replication_slot, millrace.held_back, millrace.unpublished_below from public;
grant execute on function millrace.prepare_debezium, millrace.use_debezium to millrace_operator;
