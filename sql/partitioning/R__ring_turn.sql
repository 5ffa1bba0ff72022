-- Purpose: turn the ring, hot to draining and the next free slot to hot, in steps of a transaction each.
--
--   ring_prepare    free -> next       closed_xid := null, committed before the slot can become current
--   ring_turn       next -> hot, hot -> draining, and the sequence named anew (at once, and never rolled back)
--   ring_close      draining           closed_xid drawn in a transaction begun after setval returned: a transaction that
--                                      already had an xid would get one that is too old
--   ring_reconcile  after a crash between setval and commit: the states follow the sequence
--
-- Rows returned: whether the step was done; false: the ring is not as the caller thought, look again.
-- Tables written: slot. Locks: the maintenance row (the fence), then rows of slot.
create or replace function millrace.ring_prepare(p_token uuid, p_lock_timeout_ms integer, p_slot integer)
returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  update millrace.slot set state = 'next', closed_xid = null, postponed = null
  where slot = p_slot and state = 'free' and slot <> millrace.ring_current();
  return found;
end
$$;

create or replace function millrace.ring_turn(p_token uuid, p_lock_timeout_ms integer, p_slot integer)
returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  perform 1 from millrace.slot where slot = p_slot and state = 'next' and closed_xid is null;
  if not found then
    return false;
  end if;
  update millrace.slot set state = 'draining', closed_at = clock_timestamp()
  where state = 'hot' and slot = millrace.ring_current();
  if not found then
    return false;
  end if;
  update millrace.slot set state = 'hot', opened_at = clock_timestamp(), closed_at = null, published_at = null
  where slot = p_slot;
  perform setval('millrace.ring_slot', p_slot);
  return true;
end
$$;

create or replace function millrace.ring_close(p_token uuid, p_lock_timeout_ms integer, p_slot integer)
returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  update millrace.slot set closed_xid = pg_current_xact_id()
  where slot = p_slot and state = 'draining' and closed_xid is null and slot <> millrace.ring_current();
  return found;
end
$$;

create or replace function millrace.ring_reconcile(p_token uuid, p_lock_timeout_ms integer)
returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  current_slot smallint;
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  current_slot := millrace.ring_current();
  perform 1 from millrace.slot where slot = current_slot and state = 'next';
  if not found then
    return false;
  end if;
  update millrace.slot set state = 'draining', closed_at = clock_timestamp() where state = 'hot';
  update millrace.slot set state = 'hot', opened_at = clock_timestamp(), closed_at = null, published_at = null
  where slot = current_slot;
  return true;
end
$$;
revoke execute on function millrace.ring_prepare, millrace.ring_turn, millrace.ring_close, millrace.ring_reconcile
  from public;
grant execute on function millrace.ring_prepare, millrace.ring_turn, millrace.ring_close, millrace.ring_reconcile
  to millrace_maintenance;
