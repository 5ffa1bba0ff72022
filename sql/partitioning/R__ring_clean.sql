-- Purpose: draining -> published when the published-check says so, and published -> free by TRUNCATE.
-- Rows returned: null when the step was done, else why it was postponed, for people.
-- Tables written: slot, and the slot's table by TRUNCATE.
-- Locks of ring_truncate: the maintenance row; SHARE on the slot's table, not waited for (no open transaction has written
--   to it; relays still read); then ACCESS EXCLUSIVE on it, waited for at most p_lock_timeout_ms, for the TRUNCATE alone.
--   A queued exclusive lock stalls everyone behind it.
-- While Debezium publishes, slot_note_confirm notes on the way how far the replication slot must have confirmed.
-- Must run in READ COMMITTED: the test is a later statement than the lock and has to look with new eyes.
create or replace function millrace.ring_mark_published(p_token uuid, p_lock_timeout_ms integer, p_slot integer)
returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  update millrace.slot set state = 'published', published_at = clock_timestamp(), postponed = null
  where slot = p_slot and state = 'draining' and closed_xid is not null and slot <> millrace.ring_current();
  return case when found then null else 'the slot is not draining' end;
end
$$;

create or replace function millrace.ring_truncate(p_token uuid, p_lock_timeout_ms integer, p_slot integer)
returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  reason text;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'millrace.ring_truncate must run in READ COMMITTED, found %',
      current_setting('transaction_isolation');
  end if;
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  perform 1 from millrace.slot
  where slot = p_slot and state = 'published' and closed_xid is not null and slot <> millrace.ring_current();
  if not found then
    return 'the slot is not published';
  end if;
  begin
    execute format('lock table millrace.outbox_slot_%s in share mode nowait', p_slot);
  exception when lock_not_available then
    return 'an open transaction has written to the slot'
           || millrace.lock_holders(format('millrace.outbox_slot_%s', p_slot)::regclass, true);
  end;
  perform millrace.slot_note_confirm(p_slot);
  reason := coalesce(millrace.slot_unpublished(p_slot), millrace.slot_held_by_replay(p_slot));
  if reason is not null then
    return reason;
  end if;
  begin
    execute format('truncate table only millrace.outbox_slot_%s', p_slot);
  exception when lock_not_available then
    return 'an open transaction has read from the slot'
           || millrace.lock_holders(format('millrace.outbox_slot_%s', p_slot)::regclass, false);
  end;
  update millrace.slot
  set state = 'free', truncated_at = clock_timestamp(), postponed = null, confirm_seen = null, confirm_lsn = null
  where slot = p_slot;
  return null;
end
$$;

-- Remembers why a slot is not cleaned yet, for status pages.
create or replace function millrace.ring_postpone(
  p_token uuid, p_lock_timeout_ms integer, p_slot integer, p_reason text)
returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  update millrace.slot set postponed = p_reason where slot = p_slot and postponed is distinct from p_reason;
end
$$;
revoke execute on function millrace.ring_mark_published, millrace.ring_truncate, millrace.ring_postpone from public;
grant execute on function millrace.ring_mark_published, millrace.ring_truncate, millrace.ring_postpone
  to millrace_maintenance;
