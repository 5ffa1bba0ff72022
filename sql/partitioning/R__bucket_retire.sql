-- Purpose: a bucket below the floor goes, in steps of a transaction each.
--
--   bucket_note_waits   ready -> retiring, in a transaction after the one that raised the floor, with the virtual
--                       transactions that hold a lock of writers on the inbox or on effects. Whoever takes such a lock
--                       later reads the raised floor. Either parent waits for both: the transaction of a handler holds
--                       the inbox while another session records its effects.
--   bucket_detach       retiring -> detached, when those have ended
--   bucket_drop         detached -> gone
--
-- Plain DETACH, for DETACH CONCURRENTLY waits for every transaction that used the parent, and can be left half done. It
-- needs ACCESS EXCLUSIVE on the parent, behind which new claims queue. Consumers' transactions overlap all day, so how
-- long it may wait is doubled with every time it was postponed, up to 1 s. A queued claim waits that long at most.
-- Rows returned: null when the step was done, else why it was postponed, for people; kept in bucket.
-- Tables written: bucket. Locks: the maintenance row; then (detach) ACCESS EXCLUSIVE on the parent, then on the bucket's
--   table; (drop) on the table alone.
create or replace function millrace.bucket_note_waits(
  p_token uuid, p_lock_timeout_ms integer, p_parent text, p_bucket integer)
returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  update millrace.bucket b
  set state = 'retiring', retiring_at = clock_timestamp(),
      waits_for = array(
        select distinct l.virtualtransaction from pg_locks l
        where l.locktype = 'relation' and l.pid is not null and l.granted
          and l.database = (select d.oid from pg_database d where d.datname = current_database())
          and l.relation in ('millrace.inbox'::regclass, 'millrace.effect'::regclass,
                             to_regclass(format('millrace.%I', 'inbox_' || p_bucket)),
                             to_regclass(format('millrace.%I', 'effect_' || p_bucket)))
          and l.mode in ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'))
  where b.parent = p_parent and b.bucket = p_bucket and b.state = 'ready'
    and b.bucket < (select w.floor from millrace.inbox_window w);
  return case when found then null else 'the bucket is not a ready one below the floor' end;
end
$$;

create or replace function millrace.bucket_detach(
  p_token uuid, p_lock_timeout_ms integer, p_parent text, p_bucket integer)
returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  retiring record;
  reason text;
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  select b.waits_for, b.postponed_count into retiring from millrace.bucket b
  where b.parent = p_parent and b.bucket = p_bucket and b.state = 'retiring'
    and b.bucket < (select w.floor from millrace.inbox_window w);
  if not found then
    return 'the bucket is not retiring';
  end if;
  reason := millrace.bucket_in_use(p_parent, p_bucket, retiring.waits_for);
  if reason is not null then
    update millrace.bucket b set postponed = reason
    where b.parent = p_parent and b.bucket = p_bucket and b.postponed is distinct from reason;
    return reason;
  end if;
  begin
    perform set_config('lock_timeout',
      least(1000, p_lock_timeout_ms * (2 ^ least(retiring.postponed_count, 10))::integer) || 'ms', true);
    execute format('alter table millrace.%I detach partition millrace.%I', p_parent, p_parent || '_' || p_bucket);
    update millrace.bucket b set state = 'detached', waits_for = '{}', postponed = null, postponed_count = 0
    where b.parent = p_parent and b.bucket = p_bucket;
    return null;
  exception when lock_not_available then
    reason := format('transactions on millrace.%s did not end in time', p_parent);
  end;
  update millrace.bucket b set postponed = reason, postponed_count = b.postponed_count + 1
  where b.parent = p_parent and b.bucket = p_bucket;
  return reason;
end
$$;

-- Why it cannot be detached now, or null.
create or replace function millrace.bucket_in_use(p_parent text, p_bucket integer, p_waits_for text[])
returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  if exists (select from pg_locks l where l.pid is not null and l.virtualtransaction = any (p_waits_for)) then
    return 'a transaction that may write to it is open';
  end if;
  if exists (
       select from pg_locks l
       where l.locktype = 'relation' and l.granted
         and l.database = (select d.oid from pg_database d where d.datname = current_database())
         and (l.pid is null and l.relation in ('millrace.inbox'::regclass, 'millrace.effect'::regclass)
              -- Who holds only the bucket's table would be waited for with the parent locked.
              or l.relation = to_regclass(format('millrace.%I', p_parent || '_' || p_bucket)))) then
    return 'its table is in use, or a prepared transaction holds a lock';
  end if;
  return null;
end
$$;

create or replace function millrace.bucket_drop(
  p_token uuid, p_lock_timeout_ms integer, p_parent text, p_bucket integer)
returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  reason text;
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  perform from millrace.bucket b
  where b.parent = p_parent and b.bucket = p_bucket and b.state = 'detached'
    and b.bucket < (select w.floor from millrace.inbox_window w)
    and not exists (select from pg_inherits i
                    where i.inhrelid = to_regclass(format('millrace.%I', p_parent || '_' || p_bucket)));
  if not found then
    return 'the bucket is not detached and below the floor';
  end if;
  begin
    execute format('drop table if exists millrace.%I', p_parent || '_' || p_bucket);
    delete from millrace.bucket b where b.parent = p_parent and b.bucket = p_bucket;
    return null;
  exception
    when lock_not_available then
      reason := 'somebody reads its table';
    when dependent_objects_still_exist then
      reason := 'something depends on its table';
  end;
  update millrace.bucket b set postponed = reason, postponed_count = b.postponed_count + 1
  where b.parent = p_parent and b.bucket = p_bucket;
  return reason;
end
$$;
revoke execute on function millrace.bucket_note_waits, millrace.bucket_detach, millrace.bucket_in_use,
  millrace.bucket_drop from public;
grant execute on function millrace.bucket_note_waits, millrace.bucket_detach, millrace.bucket_drop
  to millrace_maintenance;
