-- Purpose: rotate the lists of progress.
--
--   progress_turn       new progress goes to the next list, which must be empty
--   progress_carry      copies the newest progress of stripes forward that lies in a closed list, so many at most
--   progress_truncate   empties a closed list in which no stripe's newest progress lies alone
--
-- progress_carry holds the stripe's advisory lock, like an advance, so that no progress of the stripe is half written
-- meanwhile. A copy keeps its counter: whichever of the two is read, it is the same position.
-- Rows returned: whether the step was done; false: busy or not as the caller thought, try again. Of progress_carry: how
--   many were carried.
-- Tables written: progress, progress_part_state. Locks: the maintenance row; then the stripes' advisory locks, tried and
--   not waited for (carry), or ACCESS EXCLUSIVE on the list (truncate), waited for at most p_lock_timeout_ms.
create or replace function millrace.progress_turn(p_token uuid, p_lock_timeout_ms integer)
returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  current_part smallint := pg_sequence_last_value('millrace.progress_part'::regclass)::smallint;
  next_part smallint := (current_part + 1) % 3;
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  perform 1 from millrace.progress_part_state where part = next_part and opened_at is null;
  if not found then
    return false;
  end if;
  update millrace.progress_part_state set closed_at = clock_timestamp() where part = current_part;
  update millrace.progress_part_state set opened_at = clock_timestamp() where part = next_part;
  perform setval('millrace.progress_part', next_part);
  return true;
end
$$;

-- The stripes whose newest progress does not lie outside of the list (p_outside) or inside of it.
-- A copy has the counter of its original: each may lie in several lists.
create or replace function millrace.progress_stuck(p_part smallint, p_outside boolean)
returns setof millrace.chain
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off
  as $$
begin
  return query
    select c.*
    from millrace.chain c
    cross join lateral (
      select p.counter from millrace.progress p
      where p.consumer = c.consumer and p.topic_id = c.topic_id and p.topic_partition = c.topic_partition
        and p.stripe = c.stripe
      order by p.counter desc limit 1) n
    where not exists (
      select from millrace.progress p
      where p.consumer = c.consumer and p.topic_id = c.topic_id and p.topic_partition = c.topic_partition
        and p.stripe = c.stripe and p.counter = n.counter and (p.part <> p_part) = p_outside);
end
$$;

create or replace function millrace.progress_carry(p_token uuid, p_lock_timeout_ms integer, p_limit integer)
returns integer
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off
  as $$
declare
  current_part smallint := pg_sequence_last_value('millrace.progress_part'::regclass)::smallint;
  behind millrace.chain;
  carried integer := 0;
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  for behind in select s.* from millrace.progress_stuck(current_part, false) s loop
    exit when carried = p_limit;
    continue when not pg_try_advisory_xact_lock(
      millrace.chain_lock(behind.consumer, behind.topic_id, behind.topic_partition, behind.stripe));
    -- A later statement than the lock: it may have moved on.
    insert into millrace.progress (consumer, topic_id, topic_partition, stripe, stripe_count, counter, from_offset,
      to_offset, leader_epoch, reason, recorded_at)
    select n.consumer, n.topic_id, n.topic_partition, n.stripe, n.stripe_count, n.counter, n.from_offset,
      n.to_offset, n.leader_epoch, n.reason, n.recorded_at
    from (select p.consumer, p.topic_id, p.topic_partition, p.stripe, p.stripe_count, p.counter, p.from_offset,
                 p.to_offset, p.leader_epoch, p.reason, p.recorded_at
          from millrace.progress p
          where p.consumer = behind.consumer and p.topic_id = behind.topic_id
            and p.topic_partition = behind.topic_partition and p.stripe = behind.stripe
          order by p.counter desc limit 1) n
    on conflict do nothing;
    carried := carried + 1;
  end loop;
  return carried;
end
$$;

create or replace function millrace.progress_truncate(p_token uuid, p_lock_timeout_ms integer, p_part integer)
returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  if p_part = pg_sequence_last_value('millrace.progress_part'::regclass)
     -- Advances queue behind the lock: look before it is asked for, too.
     or exists (select from millrace.progress_stuck(p_part::smallint, true)) then
    return false;
  end if;
  begin
    execute format('lock table millrace.progress_%s in access exclusive mode', p_part);
  exception when lock_not_available then
    return false;
  end;
  perform from millrace.progress_stuck(p_part::smallint, true);
  if found then
    return false;
  end if;
  execute format('truncate table only millrace.progress_%s', p_part);
  update millrace.progress_part_state set opened_at = null, closed_at = null where part = p_part;
  return true;
end
$$;
revoke execute on function millrace.progress_turn, millrace.progress_stuck, millrace.progress_carry,
  millrace.progress_truncate from public;
grant execute on function millrace.progress_turn, millrace.progress_carry, millrace.progress_truncate
  to millrace_maintenance;
