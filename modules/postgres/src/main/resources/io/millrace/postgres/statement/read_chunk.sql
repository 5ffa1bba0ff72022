-- Purpose: one chunk of a sweep: rows of a range of ids that the target sees and the cursor's snapshot does not.
-- $1 shard  $2 ids above  $3 ids up to  $4 the target  $5 seen, or null: everything that the target sees
-- $6 rows at most  $7 bytes at most
-- $8 lane: '' the main one, which skips the topics of $9; else a topic, which alone is read
-- Rows returned: as read_onward.
-- Tables written: none. Locks: ACCESS SHARE.
with now as materialized (
  select pg_current_snapshot() as snap,
         coalesce(pg_sequence_last_value('millrace.outbox_id'::regclass), 0) as sequence,
         millrace.incarnation() as incarnation
),
target as materialized (
  select ($4::text)::pg_snapshot as snap
),
seen as materialized (
  select ($5::text)::pg_snapshot as snap
),
picked as (
  select o.id, o.message_id, o.aggregate_type, o.aggregate_id, o.revision, o.topic, o.message_key, o.event_type,
         o.schema_version, o.content_type, o.headers, o.payload, o.resolver, o.created_at
  from millrace.outbox o
  where o.shard = $1::smallint
    and o.id > $2::bigint and o.id <= $3::bigint
    and pg_visible_in_snapshot(o.xid, (select t.snap from target t))
    and not coalesce(pg_visible_in_snapshot(o.xid, (select s.snap from seen s)), false)
    and case when $8::text = '' then o.topic <> all($9::text[]) else o.topic = $8::text end
  order by o.id
  limit $6::integer
),
measured as (
  select p.*,
         coalesce(octet_length(p.payload), 0) + octet_length(p.aggregate_id) + coalesce(octet_length(p.message_key), 0)
           + coalesce(octet_length(array_to_string(p.headers, '')), 0) + 100 as bytes
  from picked p
),
summed as (
  select m.*, coalesce(sum(m.bytes) over (order by m.id rows between unbounded preceding and 1 preceding), 0) as before
  from measured m
)
select null::bigint as id, now.snap::text as now, now.sequence, now.incarnation, $3::bigint as late_to,
       $3::bigint as new_to,
       null::uuid as message_id, null::text as aggregate_type, null::text as aggregate_id, null::bigint as revision,
       null::text as topic, null::text as message_key, null::text as event_type, null::text as schema_version,
       null::text as content_type, null::text[] as headers, null::bytea as payload, null::text as resolver,
       null::timestamptz as created_at, null::bigint as bytes
from now
union all
select s.id, null, null, null, null, null,
       s.message_id, s.aggregate_type, s.aggregate_id, s.revision, s.topic, s.message_key, s.event_type,
       s.schema_version, s.content_type, s.headers, s.payload, s.resolver, s.created_at, s.bytes
from summed s
where s.before < $7::bigint
order by id nulls first
