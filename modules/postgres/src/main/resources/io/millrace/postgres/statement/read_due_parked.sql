-- Purpose: parked messages that may go out now: of keys that are due, the first ones up to one that an operator must decide
--   about. $1 shard  $2 topics to leave out, those of open lanes  $3 keys at most  $4 rows at most  $5 bytes at most
-- Rows returned: messages, key by key, each key's in id order. Tables written: none. Locks: ACCESS SHARE.
with due as materialized (
  select b.aggregate_type, b.aggregate_id, b.topic, b.due_at
  from millrace.blocked_key b
  where b.shard = $1::smallint and b.due_at <= now() and b.topic <> all($2::text[])
  order by b.due_at
  limit $3::integer
),
picked as (
  select d.due_at, p.*,
         sum(case when p.wanted = 'discard' or (p.state = 'dead' and p.wanted is null) then 1 else 0 end)
           over (partition by d.aggregate_type, d.aggregate_id, d.topic order by p.id) as held
  from due d
  cross join lateral (
    select p.* from millrace.parked p
    where p.shard = $1::smallint and p.aggregate_type = d.aggregate_type and p.aggregate_id = d.aggregate_id
      and p.topic = d.topic
    order by p.id
    limit $4::integer) p
),
measured as (
  select p.*,
         coalesce(octet_length(p.payload), 0) + octet_length(p.aggregate_id) + coalesce(octet_length(p.message_key), 0)
           + coalesce(octet_length(array_to_string(p.headers, '')), 0) + 100 as bytes,
         row_number() over (order by p.due_at, p.aggregate_type, p.aggregate_id, p.topic, p.id) as position
  from picked p
  where p.held = 0
),
summed as (
  select m.*,
         coalesce(sum(m.bytes) over (order by m.position rows between unbounded preceding and 1 preceding), 0) as before
  from measured m
)
select s.id, s.message_id, s.aggregate_type, s.aggregate_id, s.revision, s.topic, s.message_key, s.event_type,
       s.schema_version, s.content_type, s.headers, s.payload, s.resolver, s.created_at, s.bytes
from summed s
where s.before < $5::bigint
order by s.position
limit $4::integer
