-- Purpose: how far replays have come, what they keep in the ring, and how they end.

-- Remembers how far the shard's owner has come with a replay: about once a second, not for every message.
-- p_from: the position that the owner has loaded or recorded before; another one means that an unknown outcome has come
--   true. p_position: ids up to here are done; at the shard's end_id the shard is done, and with the last one the replay.
-- p_waits: why it does not go on, for people; null: it does. p_failure: why the whole replay ends here; null: it does not.
-- Rows returned: 'recorded'; 'fenced' when (token, epoch) is no longer the shard's; 'other life' when the server is in
--   another incarnation than the position; 'moved' when the replay has ended or the position is another one. In all but
--   the first nothing is written.
-- Tables written: replay_shard, replay. Commits asynchronously unless the shard is done or the replay fails: losing a
--   checkpoint costs duplicates, nothing else.
-- Locks: the shard's advisory lock, shared, in an earlier statement than the check; the replay's row where it may end, so
--   that of two shards that end at once the second one sees the first.
create or replace function millrace.record_replay(
  p_shard integer, p_token uuid, p_epoch bigint, p_incarnation text, p_replay bigint, p_from bigint, p_position bigint,
  p_sent integer, p_skipped integer, p_skip_reason text, p_waits text, p_failure text)
returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  is_last boolean;
begin
  perform pg_advisory_xact_lock_shared(millrace.lock_class(), p_shard);
  perform 1 from millrace.shard s where s.shard = p_shard and s.token = p_token and s.epoch = p_epoch;
  if not found then
    return 'fenced';
  end if;
  if p_incarnation is distinct from millrace.incarnation() then
    return 'other life';
  end if;
  select p_failure is not null or p_position >= s.end_id into is_last
  from millrace.replay_shard s where s.replay_id = p_replay and s.shard = p_shard;
  if is_last then
    perform 1 from millrace.replay r where r.replay_id = p_replay and r.state = 'running' for update;
  else
    set local synchronous_commit = off;
    perform 1 from millrace.replay r where r.replay_id = p_replay and r.state = 'running';
  end if;
  if not found then
    return 'moved';
  end if;
  update millrace.replay_shard s
  set position = p_position, sent = s.sent + p_sent, skipped = s.skipped + p_skipped,
      skip_reason = coalesce(left(p_skip_reason, 2000), s.skip_reason), waits = left(p_waits, 2000),
      done = p_position >= s.end_id, checkpoints = s.checkpoints + 1, checked_at = clock_timestamp()
  where s.replay_id = p_replay and s.shard = p_shard and s.position = p_from and not s.done;
  if not found then
    return 'moved';
  end if;
  if is_last then
    update millrace.replay r
    set state = case when p_failure is null then 'done' else 'failed' end, end_reason = left(p_failure, 2000),
        finished_at = clock_timestamp()
    where r.replay_id = p_replay and (p_failure is not null or not exists (
      select from millrace.replay_shard s where s.replay_id = p_replay and not s.done));
  end if;
  return 'recorded';
end
$$;

-- Ends every replay that runs, because what it reads is needed or gone. Not callable by itself.
-- Rows returned: how many. Tables written: replay, audit. Locks: the replays' rows.
create or replace function millrace.fail_replays(p_reason text) returns integer
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  as $$
declare
  failed integer;
begin
  with ended as (
    update millrace.replay r set state = 'failed', end_reason = p_reason, finished_at = clock_timestamp()
    where r.state = 'running'
    returning r.replay_id
  )
  insert into millrace.audit (actor, act, reason, detail)
  select 'millrace', 'replay_failed', p_reason, jsonb_build_object('replay_id', e.replay_id) from ended e;
  get diagnostics failed = row_count;
  return failed;
end
$$;

-- Part of a truncation's transaction, before the truncation: does a replay still have to read the slot?
-- Rows returned: null: no; else which one, for people.
-- Tables written: none. Locks: the one that a replay begins under, tried rather than waited for, until the transaction
--   ends: a replay begins either before this look, which then finds it, or after the slot is empty. It is taken in an
--   earlier statement than the look.
create or replace function millrace.slot_held_by_replay(p_slot integer) returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  set enable_seqscan = off set enable_bitmapscan = off
  as $$
declare
  holds record;
begin
  if not pg_try_advisory_xact_lock(millrace.lock_class(), millrace.replay_lock()) then
    return 'a replay is being started';
  end if;
  execute format($q$
      select s.replay_id, s.shard, o.id
      from millrace.replay r
      join millrace.replay_shard s on s.replay_id = r.replay_id and not s.done
      cross join lateral (
        select o.id from millrace.outbox_slot_%s o
        where o.shard = s.shard and o.id > s.position and o.id <= s.end_id
        order by o.id limit 1) o
      where r.state = 'running'
      order by s.replay_id, s.shard limit 1 $q$, p_slot)
    into holds;
  return case when holds.replay_id is not null then
    format('replay %s has still to read it, from id %s of shard %s', holds.replay_id, holds.id, holds.shard) end;
end
$$;

-- The second key of the advisory lock that orders the beginning of a replay and the emptying of a slot; shards have 0 and
-- up.
create or replace function millrace.replay_lock() returns integer
  language sql immutable parallel safe
  as $$ select -1 $$;

revoke execute on function millrace.record_replay, millrace.fail_replays, millrace.slot_held_by_replay,
  millrace.replay_lock from public;
grant execute on function millrace.record_replay to millrace_relay;
grant execute on function millrace.slot_held_by_replay to millrace_maintenance;
