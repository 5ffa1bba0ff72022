-- Purpose: one more slot, ahead of need.
--
--   ring_attach            CREATE TABLE, then ATTACH (SHARE UPDATE EXCLUSIVE on the parent: writers go on). State attaching.
--   ring_note_waits        in a transaction after the attach: which virtual transactions hold ROW EXCLUSIVE on the parent
--   ring_confirm_attached  attaching -> free, when all of those have ended
--
-- Running INSERT ... SELECT, COPY and prepared INSERTs keep the list of partitions that they planned with, and would
-- abort with "no partition of relation found" if the new slot became current. By virtual transaction with a live process,
-- not by pid: a prepared transaction runs no more statements, and a pid may already be in its next transaction.
-- Rows returned: whether the step was done.
-- Tables written: slot. Locks: the maintenance row, then the outbox (parents before children).
create or replace function millrace.ring_attach(p_token uuid, p_lock_timeout_ms integer, p_slot integer)
returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  perform 1 from millrace.slot where slot = p_slot;
  if found then
    return false;
  end if;
  call millrace.create_slot_table(p_slot);
  insert into millrace.slot (slot, state, waits_for) values (p_slot, 'attaching', '{unknown}');
  return true;
end
$$;

create or replace function millrace.ring_note_waits(p_token uuid, p_lock_timeout_ms integer, p_slot integer)
returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  update millrace.slot
  set waits_for = array(
    select distinct l.virtualtransaction from pg_locks l
    where l.locktype = 'relation' and l.relation = 'millrace.outbox'::regclass
      and l.database = (select d.oid from pg_database d where d.datname = current_database())
      and l.mode in ('RowExclusiveLock', 'ShareRowExclusiveLock') and l.pid is not null)
  where slot = p_slot and state = 'attaching' and waits_for = '{unknown}';
  return found;
end
$$;

create or replace function millrace.ring_confirm_attached(p_token uuid, p_lock_timeout_ms integer, p_slot integer)
returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  update millrace.slot s set state = 'free', waits_for = '{}'
  where s.slot = p_slot and s.state = 'attaching' and s.waits_for <> '{unknown}'
    and not exists (
      select from pg_locks l
      where l.pid is not null and l.virtualtransaction = any (s.waits_for));
  return found;
end
$$;
revoke execute on function millrace.ring_attach, millrace.ring_note_waits, millrace.ring_confirm_attached from public;
grant execute on function millrace.ring_attach, millrace.ring_note_waits, millrace.ring_confirm_attached
  to millrace_maintenance;
revoke execute on procedure millrace.create_slot_table from public;
