-- Purpose: one slot less, when it has not been needed for long.
--
--   ring_detach   free -> detached
--   ring_drop     detached -> gone, its row as well
--
-- DETACH needs more than TRUNCATE: a statement that has chosen the slot but is still computing its other columns holds no
-- lock on the slot's table. It does hold one on the outbox, until its transaction ends, so with ACCESS EXCLUSIVE on the
-- outbox nobody is between choosing and writing, and whether the slot is empty can be seen. DETACH CONCURRENTLY does not
-- need that lock, but waits for every transaction that has used the outbox, can be left half done, and is nothing that
-- a function may call for a role that does not own the table.
--
-- Everybody queues behind that lock, so it is waited for at most p_lock_timeout_ms, and not tried at all while it cannot
-- be had: while a transaction is open that may have chosen the slot, or somebody holds a prepared one.
-- A slot that is detached when the node dies is found as such and dropped by the next.
-- Rows returned: null when the step was done, else why it was postponed, for people.
-- Errors: XX001 when a detached slot holds messages.
-- Tables written: slot. Locks: the maintenance row; ACCESS EXCLUSIVE on the outbox, then on the slot's table (parents
--   before children); ring_drop on the slot's table alone.
create or replace function millrace.ring_detach(p_token uuid, p_lock_timeout_ms integer, p_slot integer)
returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  surplus record;
  lagging record;
  has_messages boolean;
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  select s.closed_xid into surplus from millrace.slot s
  where s.slot = p_slot and s.state = 'free' and s.slot <> millrace.ring_current();
  if not found then
    return 'the slot is not free';
  end if;
  -- While Debezium publishes no receipts are written: what runs now tells as much, the lock tells the rest.
  select lane.shard into lagging from (
    select s.shard, '' as lane from millrace.shard s union all select l.shard, l.topic from millrace.lane l) lane
  left join lateral (
    select r.seen from millrace.receipt r where r.shard = lane.shard and r.lane = lane.lane
    order by r.epoch desc, r.counter desc limit 1) newest on true
  where case when (select p.publisher from millrace.publishing p) = 'debezium'
             then pg_snapshot_xmin(pg_current_snapshot()) <= surplus.closed_xid
             else newest.seen is null or pg_snapshot_xmin(newest.seen) <= surplus.closed_xid end
  limit 1;
  if found then
    return format('transactions on the outbox: shard %s has not seen the end of every one that may have chosen the slot', lagging.shard);
  end if;
  if exists (select from pg_locks l where l.locktype = 'relation' and l.relation = 'millrace.outbox'::regclass
             and l.database = (select d.oid from pg_database d where d.datname = current_database())
             and l.granted and l.pid is null) then
    return 'a prepared transaction has used the outbox';
  end if;
  begin
    lock table only millrace.outbox in access exclusive mode;
    execute format('lock table millrace.outbox_slot_%s in access exclusive mode', p_slot);
  exception when lock_not_available then
    return 'transactions on the outbox did not end in time'
           || millrace.lock_holders('millrace.outbox', false);
  end;
  execute format('select exists (select from millrace.outbox_slot_%s)', p_slot) into has_messages;
  if has_messages then
    return 'a message was committed to it late';
  end if;
  execute format('alter table millrace.outbox detach partition millrace.outbox_slot_%s', p_slot);
  update millrace.slot set state = 'detached', postponed = null where slot = p_slot;
  return null;
end
$$;

create or replace function millrace.ring_drop(p_token uuid, p_lock_timeout_ms integer, p_slot integer)
returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  has_messages boolean;
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  perform from millrace.slot s
  where s.slot = p_slot and s.state = 'detached'
    and not exists (select from pg_inherits i
                    where i.inhrelid = to_regclass(format('millrace.outbox_slot_%s', p_slot)));
  if not found then
    return 'the slot is not detached';
  end if;
  if to_regclass(format('millrace.outbox_slot_%s', p_slot)) is not null then
    begin
      execute format('lock table millrace.outbox_slot_%s in access exclusive mode', p_slot);
    exception when lock_not_available then
      return 'somebody reads its table'
             || millrace.lock_holders(format('millrace.outbox_slot_%s', p_slot)::regclass, false);
    end;
    -- Cannot be, and would be the end of these messages.
    execute format('select exists (select from millrace.outbox_slot_%s)', p_slot) into has_messages;
    if has_messages then
      raise exception using errcode = 'data_corrupted', message =
        format('millrace.ring_drop: the detached slot %s holds messages: attach it again, nothing reads them', p_slot);
    end if;
    begin
      execute format('drop table millrace.outbox_slot_%s', p_slot);
    exception when dependent_objects_still_exist then
      return 'something depends on its table';
    end;
  end if;
  delete from millrace.slot where slot = p_slot;
  return null;
end
$$;
revoke execute on function millrace.ring_detach, millrace.ring_drop from public;
grant execute on function millrace.ring_detach, millrace.ring_drop to millrace_maintenance;
