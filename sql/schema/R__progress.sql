-- Purpose: how far consumers are. Each is called as one statement in READ COMMITTED, so that every statement inside looks
--   with new eyes after the lock before it.
--
--   inbox_advance   the last step of a consumer's transaction: from -> to, if from is where the stripe stands. Else the
--                   transaction must not commit: a failover has lost progress, or another member is ahead.
--   inbox_restart   sets the position of every stripe of a topic partition anew, if it still stands where it was loaded.
--                   Stripes that the new layout does not have any more get a row as well, so that whoever still works
--                   on one finds that it is over.
--
-- Tables written: progress, chain. Locks: the advisory lock of the stripe (restart: of all of them, in order), until the
--   transaction ends.
-- Errors of inbox_advance: MR001 when the stripe stands elsewhere, or the layout is another one.
-- Planner settings: with the statistics of an empty list a cached plan sorts all of a list that has grown since.
create or replace function millrace.inbox_advance(
  p_consumer text, p_topic_id uuid, p_topic_partition integer, p_stripe integer, p_stripe_count integer,
  p_from bigint, p_to bigint, p_leader_epoch integer)
returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
  as $$
declare
  newest record;
begin
  perform pg_advisory_xact_lock(millrace.chain_lock(p_consumer, p_topic_id, p_topic_partition, p_stripe));
  select p.counter, p.to_offset, p.stripe_count into newest
  from millrace.progress p
  where p.consumer = p_consumer and p.topic_id = p_topic_id and p.topic_partition = p_topic_partition
    and p.stripe = p_stripe
  order by p.counter desc limit 1;
  if newest.to_offset is null or newest.to_offset is distinct from p_from or newest.stripe_count <> p_stripe_count then
    raise exception using errcode = 'MR001', message = format(
      'consumer %s stands at offset %s of topic partition %s (stripe %s of %s), not at %s (of %s)',
      p_consumer, coalesce(newest.to_offset::text, 'none'), p_topic_partition, p_stripe,
      coalesce(newest.stripe_count::text, 'none'), p_from, p_stripe_count);
  end if;
  insert into millrace.progress (consumer, topic_id, topic_partition, stripe, stripe_count, counter, from_offset,
    to_offset, leader_epoch)
  values (p_consumer, p_topic_id, p_topic_partition, p_stripe, p_stripe_count, newest.counter + 1, p_from, p_to,
    p_leader_epoch);
end
$$;

-- p_counters: the newest counter of each stripe when the chain was loaded, in the order of the stripes.
create or replace function millrace.inbox_restart(
  p_consumer text, p_topic text, p_topic_id uuid, p_topic_partition integer, p_stripe_count integer,
  p_offset bigint, p_leader_epoch integer, p_counters bigint[], p_reason text)
returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off
  as $$
declare
  stripe integer;
begin
  -- The first stripe is always there, so two restarts meet here.
  perform pg_advisory_xact_lock(millrace.chain_lock(p_consumer, p_topic_id, p_topic_partition, 0));
  for stripe in
    select c.stripe from millrace.chain c
    where c.consumer = p_consumer and c.topic_id = p_topic_id and c.topic_partition = p_topic_partition and c.stripe > 0
    order by c.stripe
  loop
    perform pg_advisory_xact_lock(millrace.chain_lock(p_consumer, p_topic_id, p_topic_partition, stripe));
  end loop;
  if p_counters is distinct from (
       select coalesce(array_agg(n.counter order by n.stripe), '{}')
       from millrace.chain_positions(p_consumer, p_topic_id, p_topic_partition) n) then
    return false;
  end if;
  insert into millrace.chain (consumer, topic_id, topic_partition, stripe, topic)
  select p_consumer, p_topic_id, p_topic_partition, s, p_topic from generate_series(0, p_stripe_count - 1) s
  on conflict do nothing;
  insert into millrace.progress (consumer, topic_id, topic_partition, stripe, stripe_count, counter, from_offset,
    to_offset, leader_epoch, reason)
  select c.consumer, c.topic_id, c.topic_partition, c.stripe, p_stripe_count, coalesce(n.counter, 0) + 1, n.to_offset,
    p_offset, p_leader_epoch, p_reason
  from millrace.chain c
  left join lateral (
    select p.counter, p.to_offset from millrace.progress p
    where p.consumer = c.consumer and p.topic_id = c.topic_id and p.topic_partition = c.topic_partition
      and p.stripe = c.stripe
    order by p.counter desc limit 1) n on true
  where c.consumer = p_consumer and c.topic_id = p_topic_id and c.topic_partition = p_topic_partition;
  return true;
end
$$;

-- The newest progress of every stripe of a topic partition, as it is laid out now.
create or replace function millrace.chain_positions(p_consumer text, p_topic_id uuid, p_topic_partition integer)
returns table (stripe smallint, stripe_count smallint, counter bigint, to_offset bigint, leader_epoch integer)
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off
  as $$
begin
  return query
    select c.stripe, n.stripe_count, n.counter, n.to_offset, n.leader_epoch
    from millrace.chain c
    cross join lateral (
      select p.stripe_count, p.counter, p.to_offset, p.leader_epoch from millrace.progress p
      where p.consumer = c.consumer and p.topic_id = c.topic_id and p.topic_partition = c.topic_partition
        and p.stripe = c.stripe
      order by p.counter desc limit 1) n
    where c.consumer = p_consumer and c.topic_id = p_topic_id and c.topic_partition = p_topic_partition
      and c.stripe < n.stripe_count
    order by c.stripe;
end
$$;
revoke execute on function millrace.inbox_advance, millrace.inbox_restart, millrace.chain_positions from public;
grant execute on function millrace.inbox_advance, millrace.inbox_restart to millrace_inbox;
grant execute on function millrace.chain_positions to millrace_inbox, millrace_reader;
