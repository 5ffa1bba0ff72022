-- Purpose: a lane's cursor together with the incarnation in which it is loaded and with what holds messages of the shard
--   back, in one statement.
-- $1 shard  $2 lane
-- Rows returned: one; none for a lane that has no receipt.
-- lanes, draining: the topics of the shard's open lanes, and of those to be drained. lane_version: which
-- set of lanes that is. has_blocked: something is parked.
-- is_ahead: the stored snapshot has seen transaction ids that this server has not issued: a restored database.
-- Tables written: none. Locks: ACCESS SHARE.
select r.seen::text as seen, r.head, r.sweep_target::text as sweep_target, r.sweep_position, r.sweep_end,
       r.counter,
       array(select l.topic from millrace.lane l where l.shard = $1::smallint order by l.topic) as lanes,
       array(select l.topic from millrace.lane l where l.shard = $1::smallint and l.state = 'draining') as draining,
       (select s.lane_version from millrace.shard s where s.shard = $1::smallint) as lane_version,
       exists (select from millrace.blocked_key b where b.shard = $1::smallint) as has_blocked,
       millrace.incarnation() as incarnation,
       pg_snapshot_xmax(r.seen) > pg_snapshot_xmax(pg_current_snapshot()) as is_ahead
from millrace.receipt r
where r.shard = $1::smallint and r.lane = $2::text
order by r.epoch desc, r.counter desc
limit 1
