-- Purpose: one pass of a shard: late rows, then new ones, in the snapshot of this statement.
--   late: at or below the head, committed since the cursor's snapshot. They can only come from transactions that were
--         open in it and have finished, so they lie above the sequence value that a receipt before all of those had read.
--   new:  above the head.
-- $1 shard  $2 seen  $3 head  $4 rows at most  $5 bytes at most  $6 ids to scan at most, in each of the two ranges
-- $7 lane: '' the main one, which skips the topics of $8; else a topic, which alone is read
-- Rows returned: first a row with id null: the snapshot, the sequence's value (read after the snapshot was taken), the
--   incarnation, and how far the two ranges were scanned; then the messages in id order.
-- Tables written: none. Locks: ACCESS SHARE.
with now as materialized (
  select pg_current_snapshot() as snap,
         coalesce(pg_sequence_last_value('millrace.outbox_id'::regclass), 0) as sequence,
         millrace.incarnation() as incarnation
),
seen as materialized (
  select ($2::text)::pg_snapshot as snap
),
-- The smallest transaction id that was open in seen and has finished since. xid8 has no min() before PostgreSQL 18.
first_late as materialized (
  select min(c.x) as xid
  from (
    select x::text::bigint as x
    from seen, now, pg_snapshot_xip(seen.snap) x
    where pg_visible_in_snapshot(x, now.snap)
    union all
    select pg_snapshot_xmax(seen.snap)::text::bigint
    from seen, now
    where pg_snapshot_xmax(now.snap) > pg_snapshot_xmax(seen.snap)
  ) c(x)
),
-- Late rows are above this. Without a receipt that is old enough: one below the smallest id visible here, not zero.
late as materialized (
  select case
           when f.xid is null then $3::bigint
           else least($3::bigint, coalesce(
             (select max(r.seq_before)
              from (select r.seq_before from millrace.receipt r
                    where r.xid < f.xid::text::xid8 order by r.xid desc limit 16) r),
             (select min(o.id) - 1 from millrace.outbox o where o.shard = $1::smallint),
             $3::bigint))
         end as from_id
  from first_late f
),
-- New rows are read only if the late range is read to its end: nothing above the head may overtake it.
bounds as materialized (
  select late.from_id,
         least($3::bigint, late.from_id + $6::bigint) as late_to,
         case when late.from_id + $6::bigint < $3::bigint then $3::bigint
              else greatest($3::bigint, least($3::bigint + $6::bigint, now.sequence)) end as new_to
  from late, now
),
picked as (
  select p.*
  from (
    (select o.id, o.message_id, o.aggregate_type, o.aggregate_id, o.revision, o.topic, o.message_key, o.event_type,
            o.schema_version, o.content_type, o.headers, o.payload, o.resolver, o.created_at
     from millrace.outbox o
     where o.shard = $1::smallint
       and o.id > (select b.from_id from bounds b) and o.id <= (select b.late_to from bounds b)
       and not pg_visible_in_snapshot(o.xid, (select s.snap from seen s))
       and case when $7::text = '' then o.topic <> all($8::text[]) else o.topic = $7::text end
     order by o.id
     limit $4::integer)
    union all
    (select o.id, o.message_id, o.aggregate_type, o.aggregate_id, o.revision, o.topic, o.message_key, o.event_type,
            o.schema_version, o.content_type, o.headers, o.payload, o.resolver, o.created_at
     from millrace.outbox o
     where o.shard = $1::smallint
       and o.id > $3::bigint and o.id <= (select b.new_to from bounds b)
       and case when $7::text = '' then o.topic <> all($8::text[]) else o.topic = $7::text end
     order by o.id
     limit $4::integer)
  ) p
  order by p.id
  limit $4::integer
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
select null::bigint as id, now.snap::text as now, now.sequence, now.incarnation, b.late_to, b.new_to,
       null::uuid as message_id, null::text as aggregate_type, null::text as aggregate_id, null::bigint as revision,
       null::text as topic, null::text as message_key, null::text as event_type, null::text as schema_version,
       null::text as content_type, null::text[] as headers, null::bytea as payload, null::text as resolver,
       null::timestamptz as created_at, null::bigint as bytes
from now, bounds b
union all
select s.id, null, null, null, null, null,
       s.message_id, s.aggregate_type, s.aggregate_id, s.revision, s.topic, s.message_key, s.event_type,
       s.schema_version, s.content_type, s.headers, s.payload, s.resolver, s.created_at, s.bytes
from summed s
where s.before < $5::bigint
order by id nulls first
