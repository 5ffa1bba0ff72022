-- Purpose: record a published batch. One call, one transaction, in READ COMMITTED.
-- Locks: the shard's advisory lock, shared. It is taken in an earlier statement than the check, so that a claim that
--   has just committed is seen; a claim takes it exclusively.
-- Rows returned: 'recorded'; 'fenced' when (token, epoch) is no longer the shard's; 'other life' when the server is in
--   another incarnation than the cursor. In the latter two nothing is written.
-- Tables written: receipt. Commits asynchronously: losing a receipt costs duplicates, nothing else.
create or replace function millrace.record_receipt(
  p_shard integer, p_lane text, p_token uuid, p_epoch bigint, p_incarnation text, p_counter bigint,
  p_seen text, p_head bigint, p_sweep_target text, p_sweep_position bigint, p_sweep_end bigint, p_seq_before bigint,
  p_message_count integer, p_first_id bigint, p_last_id bigint)
returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  owner_node uuid;
begin
  set local synchronous_commit = off;
  perform pg_advisory_xact_lock_shared(millrace.lock_class(), p_shard);
  select s.owner into owner_node from millrace.shard s
  where s.shard = p_shard and s.token = p_token and s.epoch = p_epoch;
  if not found then
    return 'fenced';
  end if;
  if p_incarnation is distinct from millrace.incarnation() then
    return 'other life';
  end if;
  insert into millrace.receipt (shard, lane, epoch, counter, seen, head, sweep_target, sweep_position, sweep_end,
    seq_before, message_count, first_id, last_id, node)
  values (p_shard, p_lane, p_epoch, p_counter, p_seen::pg_snapshot, p_head, p_sweep_target::pg_snapshot,
    p_sweep_position, p_sweep_end, p_seq_before, p_message_count, p_first_id, p_last_id, owner_node);
  return 'recorded';
end
$$;
revoke execute on function millrace.record_receipt from public;
grant execute on function millrace.record_receipt to millrace_relay;
