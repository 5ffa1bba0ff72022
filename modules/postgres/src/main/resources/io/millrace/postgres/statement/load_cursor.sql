-- Purpose: a lane's cursor together with the incarnation in which it is loaded, in one statement.
-- $1 shard  $2 lane
-- Rows returned: one; none for a lane that has no receipt.
-- is_ahead: the stored snapshot has seen transaction ids that this server has not issued: a restored database.
-- Tables written: none. Locks: ACCESS SHARE.
select r.seen::text as seen, r.head, r.sweep_target::text as sweep_target, r.sweep_position, r.sweep_end,
       r.counter,
       millrace.incarnation() as incarnation,
       pg_snapshot_xmax(r.seen) > pg_snapshot_xmax(pg_current_snapshot()) as is_ahead
from millrace.receipt r
where r.shard = $1::smallint and r.lane = $2::text
order by r.epoch desc, r.counter desc
limit 1
