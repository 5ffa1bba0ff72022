-- Purpose: Millrace's relay publishes the outbox again, or goes on after a switch to Debezium that was only begun. The way
--   there, and what all acts have in common: R__operate_publishing.sql.

-- The first call notes a snapshot, and a point in the log that everything it sees was committed below; when that point is
-- confirmed, Debezium has published what the snapshot sees, and the relay begins behind it.
-- p_repeat: the replication slot cannot tell what is published, or is not to be waited for: the relay begins where it had
-- stopped, and publishes everything once more that the ring keeps since then.
-- Rows returned: one: null when Millrace's relay publishes from now on, else what it waits for, for people. Drop the
-- replication slot afterwards: it keeps the server's log.
-- Tables written besides: shard, receipt. Locks besides: every shard's advisory lock; ACCESS EXCLUSIVE on the outbox, waited
-- for at most 50 ms.
create or replace function millrace.use_relay(p_actor text, p_reason text default null, p_repeat boolean default false)
returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s'
  as $$
declare
  current millrace.publishing := millrace.begin_publishing_act('use_relay', p_actor);
  waits text;
begin
  if current.publisher = 'relay' and current.next_publisher is null then
    return null;
  end if;
  if current.publisher = 'debezium' then
    if not p_repeat then
      waits := millrace.unreturned(current, p_actor, p_reason);
    end if;
    if waits is null then
      select format('somebody reads the replication slot %s: stop Debezium', r.slot_name) into waits
      from pg_replication_slots r where r.slot_name = current.replication_slot and r.active;
    end if;
    if waits is not null then
      return waits;
    end if;
    perform pg_advisory_xact_lock(millrace.lock_class(), s.shard) from (
      select shard from millrace.shard order by shard) s;
    if not p_repeat then
      perform millrace.return_receipts(current.return_seen, current.return_head);
    end if;
  end if;
  perform millrace.leave_debezium();
  insert into millrace.audit (actor, act, reason, detail)
  values (p_actor, 'use_relay', p_reason,
          jsonb_build_object('replication_slot', current.replication_slot, 'repeat', p_repeat,
                             'head', current.return_head));
  return null;
end
$$;

-- What the way back waits for; null: the noted point is confirmed. Notes it first. Not callable by itself.
create or replace function millrace.unreturned(p_current millrace.publishing, p_actor text, p_reason text) returns text
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  as $$
declare
  problem text := millrace.replication_slot_problem();
  confirmed pg_lsn;
begin
  if problem is not null then
    raise exception using errcode = 'object_not_in_prerequisite_state',
      message = 'millrace.use_relay: what Debezium has published is not known: ' || problem,
      hint = 'With p_repeat => true everything that the ring keeps since the switch to Debezium is published once more.';
  end if;
  select r.confirmed_flush_lsn into confirmed
  from pg_replication_slots r where r.slot_name = p_current.replication_slot;
  if p_current.next_publisher is null then
    -- The log's end in a later statement than the snapshot: what the snapshot sees is below it. The head is read before
    -- the transaction of the receipts begins, as their seq_before must be.
    update millrace.publishing
    set next_publisher = 'relay', return_seen = pg_current_snapshot(), changed_at = clock_timestamp();
    update millrace.publishing
    set return_head = coalesce(pg_sequence_last_value('millrace.outbox_id'::regclass), 0),
        return_lsn = pg_current_wal_insert_lsn()
    returning return_lsn into p_current.return_lsn;
    insert into millrace.audit (actor, act, reason, detail)
    values (p_actor, 'begin_relay', p_reason, jsonb_build_object('replication_slot', p_current.replication_slot));
  elsif confirmed >= p_current.return_lsn then
    return null;
  end if;
  return format('the replication slot %s has confirmed up to %s, it must reach %s: leave Debezium running',
                p_current.replication_slot, confirmed, p_current.return_lsn);
end
$$;

-- One receipt a shard: what p_seen sees is published, the rest is not. Not callable by itself; the caller holds every
-- shard's advisory lock.
create or replace function millrace.return_receipts(p_seen pg_snapshot, p_head bigint) returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  as $$
begin
  update millrace.shard s
  set owner = null, token = null, epoch = 1 + greatest(s.epoch, (
    select r.epoch from millrace.receipt r where r.shard = s.shard and r.lane = ''
    order by r.epoch desc, r.counter desc limit 1));
  insert into millrace.receipt (shard, epoch, counter, seen, head, seq_before, message_count)
  select s.shard, s.epoch, 0, p_seen, p_head, p_head, 0 from millrace.shard s;
end
$$;

-- Undoes what prepare_debezium has made; nothing when nothing is there. Not callable by itself.
create or replace function millrace.leave_debezium() returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  as $$
begin
  if exists (select from pg_constraint c where c.conrelid = 'millrace.outbox'::regclass
             and c.conname = 'late_bound_messages_need_the_relay_of_millrace') then
    perform millrace.lock_outbox_briefly();
    alter table millrace.outbox drop constraint late_bound_messages_need_the_relay_of_millrace;
  end if;
  if exists (select from pg_publication where pubname = 'millrace_outbox') then
    drop publication millrace_outbox;
  end if;
  update millrace.publishing
  set publisher = 'relay', next_publisher = null, publication_xid = null, replication_slot = null, slot_mark = null,
      barrier_lsn = null, barrier_xid = null, broken = null, return_seen = null, return_head = null, return_lsn = null,
      changed_at = clock_timestamp()
  where publisher <> 'relay' or next_publisher is not null;
end
$$;

revoke execute on function millrace.use_relay, millrace.unreturned, millrace.return_receipts, millrace.leave_debezium
  from public;
grant execute on function millrace.use_relay to millrace_operator;
