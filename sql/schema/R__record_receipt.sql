-- Purpose: record a published batch. One call, one transaction, in READ COMMITTED.
-- p_parked: what of the batch is not published but held back, as millrace.park_messages takes it; null: nothing.
-- p_ended_lane: the lane that this receipt of the main lane merges; null: none.
-- p_lane_version: of the lanes that the caller has loaded with the cursor.
-- Locks: the shard's advisory lock, shared; exclusively for a merge. It is taken in an earlier statement than the check,
--   so that a claim, a split or a merge that has just committed is seen; these take it exclusively. Then the keys of what
--   is parked.
-- Rows returned: 'recorded'; 'fenced' when (token, epoch) is no longer the shard's; 'other life' when the server is in
--   another incarnation than the cursor; 'moved' when the shard's lanes are others than the caller's, or a merge or a
--   parking comes later than a newer receipt of its lane. In all but the first nothing is written.
-- Tables written: receipt, parked, blocked_key, lane. Commits asynchronously unless something is parked or a lane ends:
--   losing a plain receipt costs duplicates, nothing else.

-- A node that does not know lanes must not write receipts beside nodes that do: it would publish a quarantined topic
-- again from the main lane.
drop function if exists millrace.record_receipt(integer, text, uuid, bigint, text, bigint, text, bigint, text, bigint,
  bigint, bigint, integer, bigint, bigint);

create or replace function millrace.record_receipt(
  p_shard integer, p_lane text, p_token uuid, p_epoch bigint, p_incarnation text, p_counter bigint,
  p_seen text, p_head bigint, p_sweep_target text, p_sweep_position bigint, p_sweep_end bigint, p_seq_before bigint,
  p_message_count integer, p_first_id bigint, p_last_id bigint, p_parked jsonb, p_ended_lane text, p_lane_version bigint)
returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  owner record;
begin
  if p_parked is null and p_ended_lane is null then
    set local synchronous_commit = off;
  end if;
  if p_ended_lane is null then
    perform pg_advisory_xact_lock_shared(millrace.lock_class(), p_shard);
  else
    perform pg_advisory_xact_lock(millrace.lock_class(), p_shard);
  end if;
  select s.owner as node, s.lane_version into owner from millrace.shard s
  where s.shard = p_shard and s.token = p_token and s.epoch = p_epoch;
  if not found then
    return 'fenced';
  end if;
  if p_incarnation is distinct from millrace.incarnation() then
    return 'other life';
  end if;
  if owner.lane_version <> p_lane_version then
    return 'moved';
  end if;
  if p_parked is not null or p_ended_lane is not null then
    perform 1 from millrace.receipt r
    where r.shard = p_shard and r.lane = p_lane and r.epoch = p_epoch and r.counter > p_counter;
    if found then
      return 'moved';
    end if;
  end if;
  insert into millrace.receipt (shard, lane, epoch, counter, seen, head, sweep_target, sweep_position, sweep_end,
    seq_before, message_count, first_id, last_id, node)
  values (p_shard, p_lane, p_epoch, p_counter, p_seen::pg_snapshot, p_head, p_sweep_target::pg_snapshot,
    p_sweep_position, p_sweep_end, p_seq_before, p_message_count, p_first_id, p_last_id, owner.node);
  if p_parked is not null then
    perform millrace.park_messages(p_shard, p_parked);
  end if;
  if p_ended_lane is not null then
    perform millrace.end_lane(p_shard, p_ended_lane);
  end if;
  return 'recorded';
end
$$;
revoke execute on function millrace.record_receipt from public;
grant execute on function millrace.record_receipt to millrace_relay;
