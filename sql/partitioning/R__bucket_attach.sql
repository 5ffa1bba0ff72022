-- Purpose: one more bucket, ahead of need.
--
--   bucket_attach     CREATE TABLE, then ATTACH (SHARE UPDATE EXCLUSIVE on the parent: consumers go on); never below the
--                     floor, whose row is locked meanwhile
--   bucket_announce   in a later transaction: the row that says ready. Whoever sees it began to look after the ATTACH had
--                     been committed, and plans with the new bucket. After a crash between the two it is made up for.
--
-- A bucket of effects is announced before the inbox's: who has claimed a message can record its effects.
-- Rows returned: null when the step was done, else why not, for people.
-- Tables written: bucket. Locks: the maintenance row; the row of the window, shared (attach); then the parent, SHARE UPDATE
--   EXCLUSIVE: an announcement waits for the end of a transaction that is still attaching, to its last message about it.
create or replace function millrace.bucket_attach(
  p_token uuid, p_lock_timeout_ms integer, p_parent text, p_bucket integer)
returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  kept_from integer;
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  select w.floor into kept_from from millrace.inbox_window w for share;
  if p_bucket < kept_from then
    return format('bucket %s is below the floor, %s', p_bucket, kept_from);
  end if;
  if to_regclass(format('millrace.%I', p_parent || '_' || p_bucket)) is not null
     or exists (select from millrace.bucket b where b.parent = p_parent and b.bucket = p_bucket) then
    return 'the bucket is there already';
  end if;
  call millrace.create_bucket_table(p_parent, p_bucket);
  return null;
end
$$;

create or replace function millrace.bucket_announce(
  p_token uuid, p_lock_timeout_ms integer, p_parent text, p_bucket integer)
returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  execute format('lock table only millrace.%I in share update exclusive mode', p_parent);
  perform from pg_inherits i
  where i.inhparent = format('millrace.%I', p_parent)::regclass
    and i.inhrelid = to_regclass(format('millrace.%I', p_parent || '_' || p_bucket));
  if not found then
    return 'the bucket is not attached';
  end if;
  -- Below the floor nobody claims any more: it is announced to be retired.
  if p_parent = 'inbox' and p_bucket >= (select w.floor from millrace.inbox_window w)
     and not exists (select from millrace.bucket b
                     where b.parent = 'effect' and b.bucket = p_bucket and b.state = 'ready') then
    return 'the bucket of effects comes first';
  end if;
  insert into millrace.bucket (parent, bucket, state) values (p_parent, p_bucket, 'ready') on conflict do nothing;
  return case when found then null else 'the bucket is announced already' end;
end
$$;
revoke execute on function millrace.bucket_attach, millrace.bucket_announce from public;
grant execute on function millrace.bucket_attach, millrace.bucket_announce to millrace_maintenance;
revoke execute on procedure millrace.create_bucket_table from public;
