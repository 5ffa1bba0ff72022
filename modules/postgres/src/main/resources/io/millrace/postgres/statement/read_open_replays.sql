-- Purpose: of each of some shards the oldest replay that it has not done: one look for all shards of a node. $1 shards
-- Rows returned: one a shard that has one: where its owner goes on, what may be sent a second, and the incarnation in which
--   that is loaded. The rate is divided evenly over the shards that are not done, whether they move or not.
-- Tables written: none. Locks: ACCESS SHARE.
select distinct on (s.shard) s.shard, s.replay_id, s.position, r.rate::double precision / open.shards as rate,
       millrace.incarnation() as incarnation
from millrace.replay r
join millrace.replay_shard s on s.replay_id = r.replay_id and not s.done and s.shard = any($1::smallint[])
cross join lateral (
  select count(*) as shards from millrace.replay_shard o where o.replay_id = r.replay_id and not o.done) open
where r.state = 'running'
order by s.shard, s.replay_id
