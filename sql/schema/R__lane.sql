-- Purpose: lanes begin and end. A lane is a cursor of its own for a quarantined topic of a shard, which stays behind while
--   the main lane skips that topic.

-- Opens a lane as a copy of the main lane's newest receipt, sweep included: what the main lane has published or parked by
-- then, the topic's messages among it, is what the new lane has. From this commit on the main lane skips the topic.
-- The caller has nothing of the main lane in flight, and loads its cursor again afterwards.
-- The copy's seq_before stays true: it was read in a transaction still earlier than this one.
-- Rows returned: 'recorded', also when the lane is open already; 'fenced' or 'other life' as millrace.record_receipt.
-- Tables written: lane, shard, receipt. Locks: the shard's advisory lock, exclusively, before the check: the copy is of
--   the newest receipt there will be before the caller's next one.
create or replace function millrace.open_lane(
  p_shard integer, p_token uuid, p_epoch bigint, p_incarnation text, p_counter bigint,
  p_topic text, p_reason text, p_overtaken uuid[])
returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  perform pg_advisory_xact_lock(millrace.lock_class(), p_shard);
  perform 1 from millrace.shard s where s.shard = p_shard and s.token = p_token and s.epoch = p_epoch;
  if not found then
    return 'fenced';
  end if;
  if p_incarnation is distinct from millrace.incarnation() then
    return 'other life';
  end if;
  insert into millrace.lane (shard, topic, reason, overtaken)
  values (p_shard, p_topic, left(p_reason, 2000), p_overtaken)
  on conflict do nothing;
  if not found then
    return 'recorded';
  end if;
  update millrace.shard set lane_version = lane_version + 1 where shard = p_shard;
  insert into millrace.receipt (shard, lane, epoch, counter, seen, head, sweep_target, sweep_position, sweep_end,
    seq_before, message_count, node)
  select r.shard, p_topic, p_epoch, p_counter, r.seen, r.head, r.sweep_target, r.sweep_position, r.sweep_end,
    r.seq_before, 0, r.node
  from millrace.receipt r
  where r.shard = p_shard and r.lane = ''
  order by r.epoch desc, r.counter desc limit 1;
  return 'recorded';
end
$$;

-- Ends a lane in the transaction of the receipt that merges it, and lets what was parked for its topic go out.
-- Not callable by itself. The caller holds the shard's advisory lock exclusively.
-- Tables written: lane, shard, blocked_key. Locks: the keys of the topic, in order.
create or replace function millrace.end_lane(p_shard integer, p_topic text) returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  as $$
begin
  delete from millrace.lane where shard = p_shard and topic = p_topic;
  if not found then
    raise exception 'shard % has no lane %', p_shard, p_topic;
  end if;
  update millrace.shard set lane_version = lane_version + 1 where shard = p_shard;
  perform 1 from millrace.blocked_key b
  where b.shard = p_shard and b.topic = p_topic
  order by b.aggregate_type, b.aggregate_id, b.topic
  for update;
  update millrace.blocked_key b set due_at = clock_timestamp()
  where b.shard = p_shard and b.topic = p_topic and b.due_at is null and (
    select p.state = 'retrying' from millrace.parked p
    where p.shard = b.shard and p.aggregate_type = b.aggregate_type and p.aggregate_id = b.aggregate_id
      and p.topic = b.topic
    order by p.id limit 1);
end
$$;

-- Marks lanes to be drained into parked: those older than p_keep_ms, or, when the ring is short of slots, all of them.
-- Replays, which hold slots as well, end when the ring is short of them.
-- Rows returned: how many were marked. Tables written: lane, replay, audit. Locks: the maintenance row; running replays.
create or replace function millrace.drain_lanes(
  p_token uuid, p_lock_timeout_ms integer, p_keep_ms bigint, p_is_short boolean)
returns integer
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  marked integer;
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  update millrace.lane set state = 'draining'
  where state = 'open' and (p_is_short or opened_at < clock_timestamp() - p_keep_ms * interval '1 ms');
  get diagnostics marked = row_count;
  if p_is_short then
    perform millrace.fail_replays('the ring needs its slots');
  end if;
  return marked;
end
$$;

revoke execute on function millrace.open_lane, millrace.end_lane, millrace.drain_lanes from public;
grant execute on function millrace.open_lane to millrace_relay;
grant execute on function millrace.drain_lanes to millrace_maintenance;
