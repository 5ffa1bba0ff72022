-- Purpose: rotate the lists of receipts.
--
--   receipt_turn       new receipts go to the next list, which must be empty
--   receipt_carry      copies the newest receipt of each lane of one shard forward if it lies in a closed list
--   receipt_truncate   empties a closed list in which no lane's newest receipt lies
--
-- receipt_carry holds the shard's advisory lock exclusively, like a claim, so that no receipt of the shard is half
-- written meanwhile; of idle, paused and ownerless shards too. A copy keeps its (epoch, counter): whichever of the two
-- is read, it is the same cursor. Its seq_before stays true, for it was read in a transaction still earlier.
-- Rows returned: whether the step was done; false: busy or not as the caller thought, try again.
-- Tables written: receipt, receipt_part_state. Locks: the maintenance row; then the shard's advisory lock (carry), or
--   ACCESS EXCLUSIVE on the list (truncate), waited for at most p_lock_timeout_ms.
create or replace function millrace.receipt_turn(p_token uuid, p_lock_timeout_ms integer)
returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  current_part smallint := pg_sequence_last_value('millrace.receipt_part'::regclass)::smallint;
  next_part smallint := (current_part + 1) % 3;
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  perform 1 from millrace.receipt_part_state where part = next_part and opened_at is null;
  if not found then
    return false;
  end if;
  update millrace.receipt_part_state set closed_at = clock_timestamp() where part = current_part;
  update millrace.receipt_part_state set opened_at = clock_timestamp() where part = next_part;
  perform setval('millrace.receipt_part', next_part);
  return true;
end
$$;

create or replace function millrace.receipt_carry(p_token uuid, p_lock_timeout_ms integer, p_shard integer)
returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  if not pg_try_advisory_xact_lock(millrace.lock_class(), p_shard) then
    return false;
  end if;
  insert into millrace.receipt (shard, lane, epoch, counter, seen, head, sweep_target, sweep_position, sweep_end,
    seq_before, message_count, node, published_at)
  select r.shard, r.lane, r.epoch, r.counter, r.seen, r.head, r.sweep_target, r.sweep_position, r.sweep_end,
    r.seq_before, 0, r.node, r.published_at
  from (select '' as lane union all select l.topic from millrace.lane l where l.shard = p_shard) open
  cross join lateral (
    select n.* from millrace.receipt n where n.shard = p_shard and n.lane = open.lane
    order by n.epoch desc, n.counter desc, n.part = pg_sequence_last_value('millrace.receipt_part'::regclass) desc
    limit 1) r
  where r.part <> pg_sequence_last_value('millrace.receipt_part'::regclass);
  return true;
end
$$;

create or replace function millrace.receipt_truncate(p_token uuid, p_lock_timeout_ms integer, p_part integer)
returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  if p_part = pg_sequence_last_value('millrace.receipt_part'::regclass) then
    return false;
  end if;
  begin
    execute format('lock table millrace.receipt_%s in access exclusive mode', p_part);
  exception when lock_not_available then
    return false;
  end;
  perform 1
  from (select s.shard, '' as lane from millrace.shard s union all select l.shard, l.topic from millrace.lane l) open
  where not exists (
    select from (
      select n.part from millrace.receipt n where n.shard = open.shard and n.lane = open.lane
      order by n.epoch desc, n.counter desc, n.part <> p_part desc limit 1) newest
    where newest.part <> p_part);
  if found then
    return false;
  end if;
  execute format('truncate table only millrace.receipt_%s', p_part);
  update millrace.receipt_part_state set opened_at = null, closed_at = null where part = p_part;
  return true;
end
$$;
revoke execute on function millrace.receipt_turn, millrace.receipt_carry, millrace.receipt_truncate from public;
grant execute on function millrace.receipt_turn, millrace.receipt_carry, millrace.receipt_truncate
  to millrace_maintenance;
