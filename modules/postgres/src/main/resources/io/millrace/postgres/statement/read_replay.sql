-- Purpose: a page of a replay: what one shard had published when the replay was asked for, in id order.
-- $1 shard  $2 replay  $3 ids above  $4 rows at most  $5 bytes at most  $6 ids to scan at most
-- A message is judged by the cursor that its lane had then. What is parked now, or was discarded, is left out: lookups one
-- by one, which keep the index's order.
-- Rows returned: first a row with id null: the incarnation, whether the replay still runs, its target topic, what this
--   shard may send a second, how far ids were looked at, the last id of the shard's part, and is_cut: rows or bytes were
--   enough earlier, the page ends at its last message; then the messages in id order.
-- Tables written: none. Locks: ACCESS SHARE.
with task as materialized (
  select r.from_at, r.to_at, r.topic, r.aggregate_type, r.aggregate_id, r.target_topic, s.head, s.seen, s.lanes, s.end_id,
         r.rate::double precision / (
           select count(*) from millrace.replay_shard o where o.replay_id = r.replay_id and not o.done) as rate,
         least(s.end_id, $3::bigint + $6::bigint) as to_id
  from millrace.replay r
  join millrace.replay_shard s on s.replay_id = r.replay_id
  where r.replay_id = $2::bigint and s.shard = $1::smallint and r.state = 'running' and not s.done
),
picked as materialized (
  select p.*
  from task t
  cross join lateral (
    select o.id, o.message_id, o.aggregate_type, o.aggregate_id, o.revision, o.topic, o.message_key, o.event_type,
           o.schema_version, o.content_type, o.headers, o.payload, o.resolver, o.created_at
    from millrace.outbox o
    where o.shard = $1::smallint and o.id > $3::bigint and o.id <= t.to_id
      and (t.from_at is null or o.created_at >= t.from_at) and (t.to_at is null or o.created_at < t.to_at)
      and (t.topic is null or o.topic = t.topic)
      and (t.aggregate_type is null or o.aggregate_type = t.aggregate_type)
      and (t.aggregate_id is null or o.aggregate_id = t.aggregate_id)
      and o.id <= coalesce((t.lanes -> o.topic ->> 'head')::bigint, t.head)
      and pg_visible_in_snapshot(o.xid, coalesce((t.lanes -> o.topic ->> 'seen')::pg_snapshot, t.seen))
      and (select p.id from millrace.parked p where p.id = o.id) is null
      and (select a.audit_id from millrace.audit a
           where a.act = 'discarded' and (a.detail ->> 'id')::bigint = o.id limit 1) is null
    order by o.id
    limit $4::integer) p
),
measured as (
  select p.*,
         coalesce(octet_length(p.payload), 0) + octet_length(p.aggregate_id) + coalesce(octet_length(p.message_key), 0)
           + coalesce(octet_length(array_to_string(p.headers, '')), 0) + 100 as bytes
  from picked p
),
summed as materialized (
  select m.*, coalesce(sum(m.bytes) over (order by m.id rows between unbounded preceding and 1 preceding), 0) as before
  from measured m
)
select null::bigint as id, millrace.incarnation() as incarnation, t.to_id is not null as is_running, t.target_topic,
       t.rate, t.to_id, t.end_id,
       (select count(*) from picked) = $4::integer
         or exists (select from summed s where s.before >= $5::bigint) as is_cut,
       null::uuid as message_id, null::text as aggregate_type, null::text as aggregate_id, null::bigint as revision,
       null::text as topic, null::text as message_key, null::text as event_type, null::text as schema_version,
       null::text as content_type, null::text[] as headers, null::bytea as payload, null::text as resolver,
       null::timestamptz as created_at, null::bigint as bytes
from (select 1) always
left join task t on true
union all
select s.id, null, null, null, null, null, null, null,
       s.message_id, s.aggregate_type, s.aggregate_id, s.revision, s.topic, s.message_key, s.event_type,
       s.schema_version, s.content_type, s.headers, s.payload, s.resolver, s.created_at, s.bytes
from summed s
where s.before < $5::bigint
order by id nulls first
