-- Purpose: empty a bucket of command answers all of whose ids have long left the window in which ids are accepted.
-- Rows returned: whether it was truncated.
-- Tables written: command_answer's bucket, by TRUNCATE. Locks: the maintenance row, then ACCESS EXCLUSIVE on the bucket,
--   waited for at most p_lock_timeout_ms. Ids of a day are in use from a day before it to 10 days after it; a bucket is
--   used again after 16. Cleaned are the buckets of days 12 to 14 ago.
create or replace function millrace.command_answer_clean(p_token uuid, p_lock_timeout_ms integer)
returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  today bigint := (extract(epoch from clock_timestamp()) * 1000)::bigint / 86400000;
  bucket bigint;
  is_used boolean;
  done boolean := false;
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  foreach bucket in array array[(today - 12) % 16, (today - 13) % 16, (today - 14) % 16] loop
    execute format('select exists (select from millrace.command_answer_%s)', bucket) into is_used;
    if is_used then
      begin
        execute format('truncate table only millrace.command_answer_%s', bucket);
        done := true;
      exception when lock_not_available then
        null; -- somebody reads it: the next round comes soon, and there are days for it
      end;
    end if;
  end loop;
  return done;
end
$$;
revoke execute on function millrace.command_answer_clean from public;
grant execute on function millrace.command_answer_clean to millrace_maintenance;
