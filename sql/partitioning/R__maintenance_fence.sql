-- Purpose: the first statement of every step of maintenance. Holds the row that a take-over must lock until the step's
--   transaction ends, so that a step is either done by the owner or not at all.
-- Locks: the row of maintenance; waits at most p_lock_timeout_ms for it and for every lock of the step after it.
-- Errors: 55P03 when the lock is not to be had in time, 55000 when the caller is no longer the owner: nothing is broken,
--   another node goes on.
create or replace function millrace.maintenance_fence(p_token uuid, p_lock_timeout_ms integer) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  perform set_config('lock_timeout', p_lock_timeout_ms || 'ms', true);
  perform 1 from millrace.maintenance where token = p_token for update;
  if not found then
    raise exception using errcode = 'object_not_in_prerequisite_state',
      message = 'millrace maintenance belongs to another node now';
  end if;
end
$$;
revoke execute on function millrace.maintenance_fence from public;
grant execute on function millrace.maintenance_fence to millrace_maintenance;
