-- Purpose: the exact test while Debezium publishes. Is every message of a slot confirmed by the replication slot?
--
-- A closed slot that no open or prepared transaction has written to, which is what SHARE on its table says, holds messages
-- of transactions that have ended: their commit records are in the log below where the log ends then (confirm_lsn), and the
-- snapshot taken then sees them all (confirm_seen). Both are noted once. When the replication slot has confirmed that
-- position, its reader has every one of them.
-- A transaction that had chosen the slot before the ring turned and wrote only after the note is not seen by confirm_seen,
-- whatever its id is: as long as such a message is found, a new point is noted. So the note only ever moves on.

-- Notes the point of a closed slot if it has none, or one that not all of its messages are below. Does nothing while
-- Millrace's relay publishes.
-- Not callable by itself: the caller holds SHARE on the slot's table, taken in an earlier statement in READ COMMITTED.
-- Tables written: slot.
create or replace function millrace.slot_note_confirm(p_slot integer) returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  as $$
declare
  noted pg_snapshot;
  is_newer boolean := true;
begin
  perform 1 from millrace.publishing where publisher = 'debezium';
  if not found then
    return;
  end if;
  select s.confirm_seen into noted from millrace.slot s where s.slot = p_slot;
  if noted is not null then
    execute format('select exists (select from millrace.outbox_slot_%s o where not pg_visible_in_snapshot(o.xid, $1))',
                   p_slot)
      into is_newer using noted;
  end if;
  if is_newer then
    update millrace.slot
    set confirm_seen = pg_current_snapshot(), confirm_lsn = pg_current_wal_insert_lsn()
    where slot = p_slot;
  end if;
end
$$;

-- Not callable by itself.
-- Rows returned: null when every message that the note covers is confirmed, else the reason for people. That the note
-- covers all of them is for the caller to see to, by slot_note_confirm.
-- Locks: none of its own.
create or replace function millrace.slot_unconfirmed(p_slot integer) returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  problem text := millrace.replication_slot_problem();
  noted pg_lsn;
  confirmed pg_lsn;
begin
  if problem is not null then
    return 'replication: ' || problem;
  end if;
  select s.confirm_lsn into noted from millrace.slot s where s.slot = p_slot;
  if noted is null then
    return 'replication: how far it must be confirmed is not noted yet';
  end if;
  select r.confirmed_flush_lsn into confirmed
  from pg_replication_slots r join millrace.publishing p on p.replication_slot = r.slot_name;
  if coalesce(confirmed >= noted, false) then
    return null;
  end if;
  return format('replication: confirmed up to %s, the slot''s messages reach up to %s', confirmed, noted);
end
$$;

-- What maintenance asks before it calls a draining slot published, whoever publishes.
-- Rows returned: null when every message of the slot is published or parked, else the reason for people.
-- Tables written: slot. Locks: while Debezium publishes the maintenance row, and SHARE on the slot's table, not waited for;
--   else none.
create or replace function millrace.ring_unpublished(p_token uuid, p_lock_timeout_ms integer, p_slot integer)
returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'millrace.ring_unpublished must run in READ COMMITTED, found %',
      current_setting('transaction_isolation');
  end if;
  perform 1 from millrace.publishing where publisher = 'debezium';
  if found then
    perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
    perform 1 from millrace.slot
    where slot = p_slot and state = 'draining' and closed_xid is not null and slot <> millrace.ring_current();
    if not found then
      return 'the slot is not draining';
    end if;
    begin
      execute format('lock table millrace.outbox_slot_%s in share mode nowait', p_slot);
    exception when lock_not_available then
      return 'an open transaction has written to the slot'
             || millrace.lock_holders(format('millrace.outbox_slot_%s', p_slot)::regclass, true);
    end;
    perform millrace.slot_note_confirm(p_slot);
  end if;
  return millrace.slot_unpublished(p_slot);
end
$$;

revoke execute on function millrace.slot_note_confirm, millrace.slot_unconfirmed, millrace.ring_unpublished from public;
grant execute on function millrace.ring_unpublished to millrace_maintenance;
