-- Purpose: what the receipts say that were written since an earlier look, for a page that shows how fast things move.
-- $1 the snapshot of the earlier look; null: this is the first one, and nothing is counted.
-- Rows returned: one a shard that published, with the messages that it did, and how long the last one of its newest batch
-- took from its append to its receipt, in milliseconds (of the 256 shards that wrote last; else null, as when its slot has been
-- cleaned); without any such shard one row with nulls. Each row has the snapshot of this look.
-- Beside a long transaction the range of receipts would grow without end, so only the last 10,000 transactions before the
-- earlier look are looked at again, and 50,000 receipts at most: a receipt that took longer to commit is not counted.
-- Tables written: none. Locks: ACCESS SHARE.
with now as materialized (select pg_current_snapshot() as snapshot),
since as materialized (select ($1::text)::pg_snapshot as snap),
written as materialized (
  select r.shard, r.message_count, r.last_id, r.published_at, r.xid
  from millrace.receipt r
  where r.xid >= (select greatest(pg_snapshot_xmin(snap)::text::bigint, pg_snapshot_xmax(snap)::text::bigint - 10000)
                  from since)::text::xid8
    and not pg_visible_in_snapshot(r.xid, (select snap from since)) and r.message_count > 0
  order by r.xid desc limit 50000),
newest as materialized (
  select n.shard, n.last_id, n.published_at
  from (select distinct on (w.shard) w.shard, w.last_id, w.published_at, w.xid from written w order by w.shard, w.xid desc) n
  order by n.xid desc limit 256)
select now.snapshot::text as snapshot, counted.shard, counted.messages, took.latency_ms
from now
left join (select w.shard, sum(w.message_count) as messages from written w group by w.shard) counted on true
left join lateral (
  select (extract(epoch from n.published_at - o.created_at) * 1000)::bigint as latency_ms
  from newest n cross join lateral (
    select m.created_at from millrace.outbox m where m.shard = n.shard and m.id = n.last_id order by m.id limit 1) o
  where n.shard = counted.shard) took on true
order by counted.shard
