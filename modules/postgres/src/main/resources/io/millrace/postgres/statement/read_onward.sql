-- Purpose: one pass of each of several shards or lanes: late rows, then new ones, in the snapshot of this statement.
--   late: at or below the head, committed since the cursor's snapshot. They can only come from transactions that were
--         open in it and have finished, so they lie above the sequence value that a receipt before all of those had read.
--   new:  above the head.
-- Several at once, because opening the tables and indexes of the ring costs more than reading a few rows.
-- Arrays, one element a pass: $1 shards  $2 seen  $3 heads  $4 rows at most  $5 bytes at most
-- $6 ids to scan at most, in each of the two ranges
-- $7 lanes: '' the main one, which skips the topics of $8; else a topic, which alone is read
-- $8 skipped topics, as array literals
-- Rows returned: of each pass, named by its place in the arrays, a row with id null: the snapshot, the sequence's value
--   (read after the snapshot was taken), the incarnation, and how far the two ranges were scanned; and the messages. In no
--   order: whoever reads them orders by id.
-- Tables written: none. Locks: ACCESS SHARE.
with now as materialized (
  select pg_current_snapshot() as snap,
         coalesce(pg_sequence_last_value('millrace.outbox_id'::regclass), 0) as sequence,
         millrace.incarnation() as incarnation
),
asked as materialized (
  select a.pass, a.shard, a.seen::pg_snapshot as seen, a.head, a.rows_max, a.bytes_max, a.ids_max, a.lane,
         a.skipped::text[] as skipped
  from unnest($1::smallint[], $2::text[], $3::bigint[], $4::integer[], $5::bigint[], $6::bigint[], $7::text[], $8::text[])
    with ordinality as a(shard, seen, head, rows_max, bytes_max, ids_max, lane, skipped, pass)
),
-- New rows are read only if the late range is read to its end: nothing above the head may overtake it.
bounds as materialized (
  select a.*, late.from_id,
         least(a.head, late.from_id + a.ids_max) as late_to,
         case when late.from_id + a.ids_max < a.head then a.head
              else greatest(a.head, least(a.head + a.ids_max, now.sequence)) end as new_to
  from now
  cross join asked a
  -- The smallest transaction id that was open in seen and has finished since. xid8 has no min() before PostgreSQL 18.
  cross join lateral (
    select min(c.x) as xid
    from (
      select x::text::bigint as x
      from pg_snapshot_xip(a.seen) x
      where pg_visible_in_snapshot(x, now.snap)
      union all
      select pg_snapshot_xmax(a.seen)::text::bigint
      where pg_snapshot_xmax(now.snap) > pg_snapshot_xmax(a.seen)
    ) c(x)
  ) first_late
  -- Late rows are above this. Without a receipt that is old enough: one below the smallest id visible here, not zero.
  cross join lateral (
    select case
             when first_late.xid is null then a.head
             else least(a.head, coalesce(
               (select max(r.seq_before)
                from (select r.seq_before from millrace.receipt r
                      where r.xid < first_late.xid::text::xid8 order by r.xid desc limit 16) r),
               (select min(o.id) - 1 from millrace.outbox o where o.shard = a.shard),
               a.head))
           end as from_id
  ) late
),
-- Ordered and summed within each pass, where the index gives the order: no sort, which would spill to disk.
found as (
  select b.pass, p.*
  from bounds b
  cross join lateral (
    select m.*, coalesce(sum(m.bytes) over (order by m.id rows between unbounded preceding and 1 preceding), 0) as before
    from (
      select picked.*,
             coalesce(octet_length(picked.payload), 0) + octet_length(picked.aggregate_id)
               + coalesce(octet_length(picked.message_key), 0)
               + coalesce(octet_length(array_to_string(picked.headers, '')), 0) + 100 as bytes
      from (
        (select o.id, o.message_id, o.aggregate_type, o.aggregate_id, o.revision, o.topic, o.message_key, o.event_type,
                o.schema_version, o.content_type, o.headers, o.payload, o.resolver, o.created_at
         from millrace.outbox o
         where o.shard = b.shard and o.id > b.from_id and o.id <= b.late_to
           and not pg_visible_in_snapshot(o.xid, b.seen)
           and case when b.lane = '' then o.topic <> all(b.skipped) else o.topic = b.lane end
         order by o.id
         limit b.rows_max)
        union all
        (select o.id, o.message_id, o.aggregate_type, o.aggregate_id, o.revision, o.topic, o.message_key, o.event_type,
                o.schema_version, o.content_type, o.headers, o.payload, o.resolver, o.created_at
         from millrace.outbox o
         where o.shard = b.shard and o.id > b.head and o.id <= b.new_to
           and case when b.lane = '' then o.topic <> all(b.skipped) else o.topic = b.lane end
         order by o.id
         limit b.rows_max)
        order by id
        limit b.rows_max
      ) picked
    ) m
  ) p
  where p.before < b.bytes_max
)
select b.pass, null::bigint as id, now.snap::text as now, now.sequence, now.incarnation, b.late_to, b.new_to,
       null::uuid as message_id, null::text as aggregate_type, null::text as aggregate_id, null::bigint as revision,
       null::text as topic, null::text as message_key, null::text as event_type, null::text as schema_version,
       null::text as content_type, null::text[] as headers, null::bytea as payload, null::text as resolver,
       null::timestamptz as created_at, null::bigint as bytes
from now, bounds b
union all
select f.pass, f.id, null, null, null, null, null,
       f.message_id, f.aggregate_type, f.aggregate_id, f.revision, f.topic, f.message_key, f.event_type,
       f.schema_version, f.content_type, f.headers, f.payload, f.resolver, f.created_at, f.bytes
from found f
