-- Purpose: how long ids are kept.
--
--   bucket_settings      keeps the settings as the owner of maintenance is configured
--   bucket_raise_floor   raises the floor over buckets whose last moment is longer ago than the retention, by the
--                        database's clock. It never goes down, whatever is configured later: what is gone is gone.
--
-- Rows returned: null when the step was done, else why not, for people.
-- Tables written: inbox_window. Locks: the maintenance row, then the row of the window.
create or replace function millrace.bucket_settings(
  p_token uuid, p_lock_timeout_ms integer, p_retention_ms bigint, p_buckets_ahead integer)
returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  update millrace.inbox_window set retention_ms = p_retention_ms, buckets_ahead = p_buckets_ahead
  where retention_ms <> p_retention_ms or buckets_ahead <> p_buckets_ahead;
  return null;
end
$$;

create or replace function millrace.bucket_raise_floor(p_token uuid, p_lock_timeout_ms integer)
returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  now_ms bigint := (extract(epoch from clock_timestamp()) * 1000)::bigint;
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  update millrace.inbox_window
  set floor = millrace.bucket_of(now_ms - retention_ms), raised_at = clock_timestamp()
  where floor < millrace.bucket_of(now_ms - retention_ms);
  return case when found then null else 'the floor is where it belongs' end;
end
$$;
revoke execute on function millrace.bucket_settings, millrace.bucket_raise_floor from public;
grant execute on function millrace.bucket_settings, millrace.bucket_raise_floor to millrace_maintenance;
