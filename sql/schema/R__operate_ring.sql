-- Purpose: an operator has the ring turned before it is due by size or age. The hot slot is marked as old as can be; the
--   next round of maintenance turns the ring as it always does, with its steps and their fence.
-- Rows returned: whether a turn was asked for; false: it had been already. A hot slot without messages is turned when it has
--   some, and a ring without a free slot when it has one.
-- Tables written: slot, audit. Locks: the maintenance row, as every step of the ring, then the hot slot's row.
-- Errors: 22023 without an actor; 55P03 when a step of maintenance does not end within 2 s.
create or replace function millrace.turn_ring(p_actor text, p_reason text default null)
returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s'
  as $$
declare
  turned smallint;
begin
  if coalesce(trim(p_actor), '') = '' then
    raise exception 'turning the ring needs the name of who asks for it, found none'
      using errcode = 'invalid_parameter_value';
  end if;
  perform 1 from millrace.maintenance for update;
  update millrace.slot s set opened_at = 'epoch'
  where s.state = 'hot' and s.opened_at is distinct from 'epoch'
  returning s.slot into turned;
  if turned is null then
    return false;
  end if;
  insert into millrace.audit (actor, act, reason, detail)
  values (p_actor, 'turn_ring', p_reason, jsonb_build_object('slot', turned));
  return true;
end
$$;

revoke execute on function millrace.turn_ring from public;
grant execute on function millrace.turn_ring to millrace_operator;
