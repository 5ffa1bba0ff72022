-- Purpose: the first step of a consumer's transaction: which of these messages are new, and claim those.
-- p_ids, p_times, p_topics, p_keys: one entry a record, in the order of their offsets; times in ms since 1970.
-- p_ordered: whether a parked message blocks its key.
-- Rows returned: one a record, by its ordinal from 1:
--   new                   claimed: apply it in this transaction
--   duplicate             applied or parked before, or twice among these: nothing to do
--   behind_parked         claimed, but an earlier message of its key is parked: park it
--   beyond_dedup_window   its bucket is gone, so it cannot be told from a repeat: park it
--   ahead_of_buckets      further in the future than buckets are made: park it
-- Tables written: inbox. Locks: ROW EXCLUSIVE on inbox, taken in an earlier statement than the one that reads the floor:
--   who raises the floor then waits for every transaction that may have read the old one. On the parent alone: what is
--   attached to it needs no lock, and one for each bucket would cost more than the claim. Then the ids' own index
--   entries, in the order of the ids, so that two batches with the same ids wait for each other and do not deadlock.
-- Floor and buckets are read once, in one statement: were a bucket ready in one look and retiring in the next, a message
--   that was not claimed would count as a repeat.
-- Must run in READ COMMITTED: with older eyes the floor is an old one.
-- Errors: 25001 in another isolation level; 55000 when a bucket of up to tomorrow has not been made.
-- Planner settings: with the statistics of an empty table a cached plan reads all of a table that has grown since.
create or replace function millrace.inbox_claim(
  p_consumer text, p_ids uuid[], p_times bigint[], p_topics text[], p_keys bytea[], p_ordered boolean)
returns table (ordinal integer, status text)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off
  as $$
declare
  kept_from integer;
  -- Of the buckets of these messages, those that may be written to.
  ready     integer[];
  tomorrow  integer := millrace.bucket_of((extract(epoch from clock_timestamp()) * 1000)::bigint) + 1;
  missing   integer;
  claimed   uuid[];
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception using errcode = 'active_sql_transaction', message = format(
      'millrace.inbox_claim must run in READ COMMITTED, found %s', current_setting('transaction_isolation'));
  end if;
  lock table only millrace.inbox in row exclusive mode;
  select w.floor, array(
           select g.bucket
           from (select distinct millrace.bucket_of(t) as bucket from unnest(p_times) t) g
           cross join lateral (
             select from millrace.bucket b
             where b.parent = 'inbox' and b.bucket = g.bucket and b.state = 'ready' limit 1) b
           where g.bucket >= w.floor)
    into kept_from, ready
  from millrace.inbox_window w;

  select min(millrace.bucket_of(t)) into missing
  from unnest(p_times) t
  where millrace.bucket_of(t) between kept_from and tomorrow and millrace.bucket_of(t) <> all (ready);
  if missing is not null then
    raise exception using errcode = 'object_not_in_prerequisite_state', message = format(
      'bucket %s of the inbox, from %s on, has not been made: is maintenance running?',
      missing, to_timestamp(missing * (millrace.inbox_bucket_ms() / 1000.0)));
  end if;

  with given as (
    select distinct on (u.id) u.id, millrace.bucket_of(u.time_ms) as bucket
    from unnest(p_ids, p_times) with ordinality u(id, time_ms, ord)
    order by u.id, u.ord),
  fresh as (
    insert into millrace.inbox (bucket, consumer, message_id)
    select g.bucket, p_consumer, g.id
    from given g
    left join lateral (
      select 1 as found from millrace.inbox_parked p
      where p.consumer = p_consumer and p.message_id = g.id limit 1) parked on true
    where g.bucket = any (ready) and parked.found is null
    order by g.id
    on conflict do nothing
    returning message_id)
  select coalesce(array_agg(f.message_id), '{}') into claimed from fresh f;

  return query
    with given as (
      select u.ord::integer as ord, u.id, millrace.bucket_of(u.time_ms) as bucket, u.topic, u.record_key,
             row_number() over (partition by u.id order by u.ord) as occurrence
      from unnest(p_ids, p_times, p_topics, p_keys) with ordinality u(id, time_ms, topic, record_key, ord))
    select g.ord,
      case
        when c.id is not null and g.occurrence > 1 then 'duplicate'
        when c.id is not null and blocking.found is not null then 'behind_parked'
        when c.id is not null then 'new'
        when parked.found is not null then 'duplicate'
        when g.bucket < kept_from then 'beyond_dedup_window'
        when g.bucket = any (ready) then 'duplicate'
        else 'ahead_of_buckets'
      end
    from given g
    left join unnest(claimed) c(id) on c.id = g.id
    left join lateral (
      select 1 as found from millrace.inbox_parked p
      where p.consumer = p_consumer and p.message_id = g.id limit 1) parked on true
    left join lateral (
      select 1 as found from millrace.inbox_parked p
      where p_ordered and p.blocks_key
        and millrace.parked_key(p.consumer, p.topic, p.record_key)
            = millrace.parked_key(p_consumer, g.topic, g.record_key) limit 1) blocking on true;
end
$$;
revoke execute on function millrace.inbox_claim from public;
grant execute on function millrace.inbox_claim to millrace_inbox;
