-- Purpose: nodes, heartbeats and claims. Each is called as one statement in READ COMMITTED, so that every statement
--   inside looks with new eyes; in REPEATABLE READ the fences would not fence.

create or replace function millrace.register_node(p_node uuid, p_name text, p_role text) returns void
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$ insert into millrace.node (node, name, role) values (p_node, p_name, p_role) on conflict do nothing $$;

-- False when the node has been removed as dead: its shards are no longer its own.
create or replace function millrace.heartbeat(p_node uuid) returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  update millrace.node set counter = counter + 1 where node = p_node;
  return found;
end
$$;

-- Removes a node that an observer found dead (its counter is still the one observed), or that leaves (null).
-- Its shards stay as they are: a claim takes them over one by one, each under its lock.
create or replace function millrace.remove_node(p_node uuid, p_counter bigint) returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  delete from millrace.node where node = p_node and (p_counter is null or counter = p_counter);
  return found;
end
$$;

-- Claims a shard, if it is still as the claimer saw it: same epoch, and ownerless, or owned by a node whose counter has
-- not moved, or whose row is gone.
-- Locks: the shard's advisory lock, exclusively (a receipt holds it shared), tried rather than waited for; then its row.
-- Rows returned: none when somebody was faster, a receipt is being written, an operator has paused the shard, or
--   Debezium publishes.
create or replace function millrace.claim_shard(
  p_shard integer, p_node uuid, p_epoch bigint, p_owner uuid, p_owner_counter bigint)
returns table (token uuid, epoch bigint)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  if not pg_try_advisory_xact_lock(millrace.lock_class(), p_shard) then
    return;
  end if;
  -- Later than the lock, which a change of the publisher takes too.
  perform 1 from millrace.publishing where publisher = 'debezium';
  if found then
    return;
  end if;
  perform 1 from millrace.node n where n.node = p_node;
  if not found then
    return;
  end if;
  if p_owner is not null then
    perform 1 from millrace.node n where n.node = p_owner and n.counter is distinct from p_owner_counter;
    if found then
      return;
    end if;
  end if;
  return query
    update millrace.shard s
    set owner = p_node, token = gen_random_uuid(), claimed_at = clock_timestamp(),
        epoch = 1 + greatest(s.epoch, (
          select max(newest.epoch)
          from (select '' as lane union all select l.topic from millrace.lane l where l.shard = p_shard) open
          cross join lateral (
            select r.epoch from millrace.receipt r where r.shard = p_shard and r.lane = open.lane
            order by r.epoch desc, r.counter desc limit 1) newest))
    where s.shard = p_shard and s.epoch = p_epoch and s.owner is not distinct from p_owner and not s.paused
    returning s.token, s.epoch;
end
$$;

create or replace function millrace.release_shard(p_shard integer, p_token uuid) returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  update millrace.shard set owner = null, token = null where shard = p_shard and token = p_token;
  return found;
end
$$;

-- Takes over maintenance, if it is still as the claimer saw it. The row lock is the one that every step of maintenance
-- holds, so nothing of the previous owner is half done when this returns.
create or replace function millrace.claim_maintenance(
  p_node uuid, p_epoch bigint, p_owner uuid, p_owner_counter bigint)
returns table (token uuid, epoch bigint)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  if p_owner is not null then
    perform 1 from millrace.node n where n.node = p_owner and n.counter is distinct from p_owner_counter;
    if found then
      return;
    end if;
  end if;
  return query
    update millrace.maintenance m
    set owner = p_node, token = gen_random_uuid(), epoch = m.epoch + 1, claimed_at = clock_timestamp()
    where m.epoch = p_epoch and m.owner is not distinct from p_owner
    returning m.token, m.epoch;
end
$$;

create or replace function millrace.release_maintenance(p_token uuid) returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  update millrace.maintenance set owner = null, token = null where token = p_token;
  return found;
end
$$;

revoke execute on function millrace.register_node, millrace.heartbeat, millrace.remove_node, millrace.claim_shard,
  millrace.release_shard, millrace.claim_maintenance, millrace.release_maintenance from public;
grant execute on function millrace.register_node, millrace.heartbeat, millrace.remove_node
  to millrace_relay, millrace_maintenance;
grant execute on function millrace.claim_shard, millrace.release_shard to millrace_relay;
grant execute on function millrace.claim_maintenance, millrace.release_maintenance to millrace_maintenance;
